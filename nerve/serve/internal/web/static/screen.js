// What screens share: what is shown in place of a failure, work that is repeated, lists that keys walk.
import { h, notice } from './dom.js';
import { Problem } from './api.js';
import { reload } from './place.js';

// failure is what is shown in place of what could not be had.
export function failure(error) {
  return h('section', { class: 'card failure', role: 'alert' },
    h('h2', {}, error instanceof Problem ? 'The server refuses' : 'This did not work'),
    h('p', {}, error.message), error.hint && h('p', { class: 'dim' }, error.hint),
    h('p', {}, h('button', { onclick: reload }, 'Try again')));
}

// every calls f now and then every ms, while the screen is shown and the window is seen.
export async function every(ms, signal, f) {
  let failed = 0;
  while (!signal.aborted) {
    if (!document.hidden) {
      try {
        await f();
        failed = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (failed++ === 0) notice(error.message, true);
      }
    }
    await new Promise(done => setTimeout(done, ms));
  }
}

// walk makes a list walkable by keys: j and k, arrows, Enter.
export function walk(container, selector) {
  return event => {
    const all = [...container.querySelectorAll(selector)];
    const now = all.indexOf(document.activeElement);
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (!by || !all.length) return false;
    all[Math.max(0, Math.min(all.length - 1, now < 0 ? 0 : now + by))].focus();
    return true;
  };
}
