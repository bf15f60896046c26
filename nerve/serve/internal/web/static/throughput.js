// Throughput: what is appended and read, and how long commits take.
import { h, put } from './dom.js';
import { get } from './api.js';
import { lines, room } from './chart.js';
import { bytes, duration, second, short } from './format.js';
import { parameters, setParameters } from './place.js';
import { every } from './screen.js';

const SPANS = { '': '10 min', '1h': '1 h', '24h': '24 h' };

export async function show(main, place, signal) {
  const charts = h('div', { class: 'charts' });
  const tiles = h('dl', { class: 'tiles' });
  const spans = h('div', { class: 'segments', role: 'group', 'aria-label': 'time' }, Object.entries(SPANS).map(([value, name]) =>
    h('button', { 'data-span': value, onclick: () => { setParameters({ span: value }); refresh(); } }, name)));
  put(main, h('div', { class: 'toolbar' }, h('h1', {}, 'Throughput'), h('span', { class: 'grow' }), spans), tiles, charts);
  const card = o => h('section', { class: 'card' }, lines(o));
  const refresh = async () => {
    const span = parameters().span ?? '';
    for (const b of spans.children) b.setAttribute('aria-pressed', String(b.dataset.span === span));
    const t = await get(place.queue, 'throughput', { span }, signal);
    const now = list => list.at(-1) ?? 0;
    const group = now(t.commits) > 0 ? now(t.records) / now(t.commits) : 0;
    const own = text => t.follows ? '–' : text; // known to the process that appends alone
    put(tiles, [['appended', `${short(now(t.records))}/s`], ['bytes', own(`${bytes(now(t.bytes))}/s`)], ['read', `${short(now(t.reads))}/s`],
      ['commits', own(`${short(now(t.commits))}/s`)], ['records a commit', own(short(group))], ['commit p99', now(t.p99) ? `≤ ${duration(now(t.p99))}` : '–']]
      .map(([name, value]) => h('div', { class: 'tile' }, h('dt', {}, name), h('dd', {}, value))));
    const common = { times: t.times, label: second, width: room(main, 2) };
    put(charts,
      card({ ...common, title: 'Records a second', format: short, series: [{ name: 'appended', values: t.records }, { name: 'read', values: t.reads }] }),
      t.follows && h('section', { class: 'card' }, h('h2', {}, 'Bytes, commits and latency'), h('p', { class: 'dim' },
        'Another process appends to this queue and this server follows it: it sees the records, and knows no more of how they are written.')),
      !t.follows && card({ ...common, title: 'Bytes appended a second', format: bytes, series: [{ name: 'bytes', values: t.bytes }] }),
      !t.follows && card({ ...common, title: 'Commit latency, at most', format: duration, series: [{ name: 'p50', values: t.p50 }, { name: 'p99', values: t.p99 }] }),
      !t.follows && card({ ...common, title: 'Commits and fsyncs a second', format: short, series: [{ name: 'commits', values: t.commits }, { name: 'fsyncs', values: t.syncs }] }));
  };
  await refresh();
  every(1000, signal, refresh);
}
