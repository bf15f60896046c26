// The frame around the screens: which one is shown is in the URL, and so is all of its state.
import { h, put } from './dom.js';
import { help } from './help.js';
import { go, onMove, path } from './place.js';
import { failure } from './screen.js';

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
async function show() {
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

document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href^="/"]');
  if (!link || link.hasAttribute('download') || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
window.addEventListener('popstate', show);
onMove(show);

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

show();
