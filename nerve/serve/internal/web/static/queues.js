// All queues at a glance.
import { h, put } from './dom.js';
import { get } from './api.js';
import { sparkline } from './chart.js';
import { bytes, count, duration, short } from './format.js';
import { path } from './place.js';
import { every, walk } from './screen.js';

const rate = q => q.rates.at(-1) ?? 0;

function health(q, follows) {
  if (q.error) return h('span', { class: 'badge bad' }, 'not open');
  if (q.problem) return h('span', { class: 'badge warn' }, 'look at it');
  if (follows) return h('span', { class: 'badge', title: 'Another process appends: it alone knows what it cannot write.' }, 'read-only');
  return h('span', { class: 'badge good' }, 'healthy');
}

const fact = (name, value, title) => h('div', { class: 'fact', title }, h('dt', {}, name), h('dd', {}, value));

function card(q, follows) {
  return h('a', { class: 'card queue', href: path(q.name, q.error || q.problem ? 'storage' : 'messages') },
    h('div', { class: 'title' }, h('h2', {}, h('bdi', {}, q.name)), health(q, follows)),
    h('p', { class: 'dim type' }, q.error || q.problem || q.type || 'bytes without a schema'),
    h('div', { class: 'now' }, h('span', { class: 'big' }, short(rate(q))), h('span', { class: 'dim' }, 'records/s'), sparkline(q.rates)),
    h('dl', { class: 'facts' },
      fact('records', short(q.records), count(q.records)), fact('on disk', bytes(q.bytes)),
      fact('oldest', q.records ? duration(Math.round(q.oldest_seconds)) : '–'),
      fact('consumers', q.consumers), fact('worst lag', q.consumers ? short(q.worst_lag) : '–', q.worst)));
}

export async function show(main, place, signal) {
  const cards = h('div', { class: 'cards' });
  const summary = h('p', { class: 'dim' });
  put(main, h('h1', {}, 'Queues'), summary, cards);
  let last = '';
  const refresh = async () => {
    const { queues, read_only } = await get(undefined, 'queues', {}, signal);
    const total = queues.reduce((n, q) => n + q.records, 0);
    summary.textContent = queues.length === 1 ? `One queue, ${short(total)} records` : `${queues.length} queues, ${short(total)} records`;
    const focus = document.activeElement?.getAttribute?.('href');
    const text = JSON.stringify(queues);
    if (text === last) return;
    last = text;
    put(cards, queues.length ? queues.map(q => card(q, read_only)) :
      h('section', { class: 'card' }, h('h2', {}, 'There are no queues yet'),
        h('p', {}, 'The first append makes one: ', h('code', {}, 'nerve append nerve://HOST:PORT/orders'))));
    if (focus) [...cards.querySelectorAll('a')].find(a => a.getAttribute('href') === focus)?.focus();
  };
  await refresh();
  every(1000, signal, refresh);
  return walk(cards, 'a.queue');
}
