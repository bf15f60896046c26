// The frame around the screens: which one is shown is in the URL, and so is all of its state.
import { h, put } from './dom.js';
import { get, Problem } from './api.js';
import { help } from './help.js';

const SCREENS = ['messages', 'consumers', 'throughput', 'query', 'storage'];
const load = {
  queues: () => import('./queues.js'), messages: () => import('./messages.js'), record: () => import('./record.js'),
  consumers: () => import('./consumers.js'), throughput: () => import('./throughput.js'),
  query: () => import('./query.js'), storage: () => import('./storage.js'),
};

let shown; // how to end the screen that is shown
let keys = () => false; // what the screen does with a key

// at reads the place: /, /q/NAME/SCREEN, /q/NAME/record/ID.
function at() {
  const [, q, queue, screen, id] = location.pathname.split('/').map(decodeURIComponent);
  if (q !== 'q' || !queue) return { screen: 'queues' };
  return { queue, id, screen: screen in load ? screen : 'messages' };
}

export const path = (queue, screen, id) =>
  `/q/${encodeURIComponent(queue)}/${screen}${id === undefined ? '' : '/' + encodeURIComponent(id)}`;

// go shows another place.
export function go(to) {
  history.pushState(null, '', to);
  show();
}

// parameters is the state of a screen.
export const parameters = () => Object.fromEntries(new URLSearchParams(location.search));

// setParameters changes some of them; empty ones leave the URL.
export function setParameters(changed, replace) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changed)) {
    if (value === '' || value === undefined || value === null) query.delete(name);
    else query.set(name, value);
  }
  const to = location.pathname + (query.size ? '?' + query : '');
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
}

function head(place) {
  const tabs = place.queue === undefined ? [] : SCREENS.map((name, i) => h('a', {
    href: path(place.queue, name), title: `key ${i + 1}`,
    'aria-current': name === place.screen || name === 'messages' && place.screen === 'record' ? 'page' : false,
  }, name[0].toUpperCase() + name.slice(1)));
  put(document.getElementById('head'),
    h('a', { class: 'brand', href: '/' }, h('img', { src: '/static/icon.svg', alt: '', width: 22, height: 22 }), 'nerve'),
    place.queue !== undefined && h('span', { class: 'crumb' }, h('bdi', {}, place.queue)),
    h('nav', { 'aria-label': 'screens' }, tabs),
    h('button', { class: 'quiet', onclick: help, 'aria-label': 'keys and help', title: 'key ?' }, '?'));
  document.querySelector('#head nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  document.title = place.queue === undefined ? 'nerve' : `${place.queue} · ${place.screen} · nerve`;
}

// show shows what the URL says.
export async function show() {
  shown?.abort();
  const mine = shown = new AbortController();
  const place = at(), main = document.getElementById('main');
  keys = () => false;
  head(place);
  main.className = place.screen;
  try {
    const module = await load[place.screen]();
    if (mine.signal.aborted) return;
    const listen = await module.show(main, place, mine.signal);
    if (!mine.signal.aborted && listen) keys = listen;
  } catch (error) {
    if (!mine.signal.aborted) put(main, failure(error));
  }
}

// failure is what is shown in place of what could not be had.
export function failure(error) {
  return h('section', { class: 'card failure', role: 'alert' },
    h('h2', {}, error instanceof Problem ? 'The server refuses' : 'This did not work'),
    h('p', {}, error.message), error.hint && h('p', { class: 'dim' }, error.hint),
    h('p', {}, h('button', { onclick: show }, 'Try again')));
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
        if (failed++ === 0) throwIfFirst(error);
      }
    }
    await new Promise(done => setTimeout(done, ms));
  }
}

const throwIfFirst = error => import('./dom.js').then(dom => dom.notice(error.message, true));

document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href^="/"]');
  if (!link || link.hasAttribute('download') || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
window.addEventListener('popstate', show);

document.addEventListener('keydown', event => {
  if (event.metaKey || event.ctrlKey || event.altKey || document.querySelector('dialog[open]')) return;
  const typing = event.target.closest?.('input, textarea, select');
  if (typing) {
    if (event.key === 'Escape' && !event.defaultPrevented) event.target.blur();
    return;
  }
  const place = at();
  if (keys(event)) event.preventDefault();
  else if (event.key === '?') help();
  else if (event.key === '0') go('/');
  else if (place.queue !== undefined && SCREENS[event.key - 1]) go(path(place.queue, SCREENS[event.key - 1]));
});

// rows makes a list walkable by keys: j and k, arrows, Enter.
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

// queueNames is for those who choose another queue.
export const queueNames = async () => (await get(undefined, 'queues')).queues.map(q => q.name);

show();
