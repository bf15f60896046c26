// Storage and schema: what lies on the disk, what is wrong with it, and of what type the records are.
import { h, put } from './dom.js';
import { get } from './api.js';
import { bytes, count, duration, short } from './format.js';

const tile = (name, value, title) => h('div', { class: 'tile', title }, h('dt', {}, name), h('dd', {}, value));

function damage(s) {
  const list = [s.error, s.failed, ...(s.damage ?? [])].filter(Boolean);
  if (!list.length) return h('p', {}, h('span', { class: 'badge good' }, 'no damage found'), ' ', h('span', { class: 'dim' }, 'nerve verify checks every byte.'));
  return h('ul', { class: 'damage' }, list.map(text => h('li', { class: 'bad' }, text)));
}

function schema(s) {
  if (!s) {
    return [h('p', { class: 'dim' }, 'Nothing says of what type the records are. A file nerve.yaml in the folder of the queue does:'),
      h('pre', { class: 'code' }, 'proto: deposit.proto\ntype: shop.v1.Deposit')];
  }
  return [h('p', {}, h('strong', {}, s.type), ' ', h('span', { class: 'dim' }, s.proto)),
    s.error && h('pre', { class: 'caret', role: 'alert' }, s.error),
    s.fields && h('div', { class: 'scroll' }, h('table', { class: 'fields' }, h('thead', {}, h('tr', {}, h('th', {}, 'field'), h('th', {}, 'type'))),
      h('tbody', {}, s.fields.map(f => h('tr', { title: f.values?.join(', ') }, h('td', {}, f.path), h('td', { class: 'dim' }, f.type)))))),
    s.text && h('details', {}, h('summary', {}, 'The file'), h('pre', { class: 'code' }, s.text))];
}

export async function show(main, place, signal) {
  const s = await get(place.queue, 'storage', {}, signal);
  const n = s.since_start;
  const own = text => s.follows ? '–' : text; // known to the process that appends alone
  put(main, h('h1', {}, 'Storage and schema'),
    h('dl', { class: 'tiles' }, tile('records', short(s.records), count(s.records)), tile('ids', `${short(s.first)}–${short(s.last)}`, `${count(s.first)} to ${count(s.last)}`),
      tile('on disk', bytes(s.bytes)), tile('segments', count(s.segments)), tile('bytes a record', s.records ? bytes(s.bytes / s.records) : '–'),
      tile('oldest', s.records ? duration(Math.round(s.oldest_seconds)) : '–'), tile('free on disk', s.free >= 0 ? bytes(s.free) : '–')),
    h('div', { class: 'charts' },
      h('section', { class: 'card' }, h('h2', {}, 'Damage'), damage(s)),
      h('section', { class: 'card' }, h('h2', {}, 'Since the server began'), h('dl', { class: 'facts wide' },
        Object.entries({ 'records appended': count(n.records), 'bytes appended': own(bytes(n.bytes)), 'commits': own(count(n.commits)), 'commits that failed': own(count(n.errors)),
          'fsyncs': own(count(n.syncs)), 'segments begun': own(count(n.segments)), 'segments removed': own(count(n.removed)), 'records read': count(n.reads) })
          .map(([name, value]) => h('div', { class: 'fact' }, h('dt', {}, name), h('dd', {}, value))))),
      h('section', { class: 'card wide-card' }, h('h2', {}, 'Schema'), schema(s.schema))));
}
