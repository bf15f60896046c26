// Query: a question in one text, its answer as a table and a chart.
import { copy, data, h, put } from './dom.js';
import { get, send } from './api.js';
import { bars, lines, room } from './chart.js';
import { caret } from './filter.js';
import { clock, count, duration, short } from './format.js';
import { parameters, setParameters } from './place.js';

// suggest makes a first question of the fields that there are.
function suggest(fields) {
  fields = fields.filter(f => !f.path.includes('.')); // those of the message itself say most
  const number = fields.find(f => /^(u?int|s?int|s?fixed|double|float)/.test(f.type) && !/id$/.test(f.path));
  const group = fields.find(f => f.values) ?? fields.find(f => f.type === 'string' && !/id$/.test(f.path));
  return `count()${number ? `, sum(${number.path})` : ''}${group ? ` by ${group.path}` : ''} order -count limit 20`;
}

// plain is a value as text: lists of simple values as they are read, messages as JSON.
const plain = value => typeof value !== 'object' ? String(value) :
  Array.isArray(value) && value.every(v => typeof v !== 'object' || v === null) ? value.map(v => v ?? '–').join(', ') : JSON.stringify(value);

const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;

export async function show(main, place, signal) {
  const { schema } = await get(place.queue, 'storage', {}, signal);
  const fields = schema?.fields ?? [];
  const answer = h('div', { class: 'answer' });
  if (!fields.length) {
    put(main, h('h1', {}, 'Query'), h('section', { class: 'card' }, h('p', {}, 'A query needs to know of what type the records are; see Storage.')));
    return undefined;
  }
  const input = h('textarea', { rows: 3, spellcheck: 'false', 'aria-label': 'query', autocapitalize: 'off' });
  input.value = parameters().q ?? suggest(fields);
  const wrong = h('pre', { class: 'caret', role: 'alert', hidden: true });
  const run = h('button', { class: 'primary', title: 'Ctrl and Enter', onclick: () => ask() }, 'Run');
  input.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); }
  });
  let running;
  async function ask() {
    running?.abort();
    running = new AbortController();
    const mine = running;
    setParameters({ q: input.value }, true);
    wrong.hidden = true;
    run.disabled = true;
    put(answer, h('p', { class: 'dim' }, 'Looking …'));
    try {
      const result = await send('POST', place.queue, 'query', { text: input.value });
      if (!mine.signal.aborted) draw(result);
    } catch (error) {
      put(answer);
      put(wrong, caret(error));
      wrong.hidden = false;
    } finally { run.disabled = false; }
  }

  function draw(result) {
    const { columns, rows, stats } = result;
    const numeric = columns.map(c => ['int', 'uint', 'double', 'duration'].includes(c.kind));
    const show = (value, c) => value === null ? h('span', { class: 'dim' }, '–') : c.kind === 'timestamp' ? clock(value) :
      c.kind === 'duration' ? duration(value) : typeof value === 'number' ? count(value) : data(plain(value));
    put(answer,
      h('p', { class: 'dim' }, `${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}${result.cut ? ', the first ones' : ''} · ` +
        `${short(stats.records)} records in ${duration(stats.seconds)}, ${short(stats.records / Math.max(stats.seconds, 1e-6))}/s` +
        (stats.skipped ? ` · ${count(stats.skipped)} skipped${stats.first ? `, ${stats.first}` : ''}` : '')),
      chart(columns, rows, numeric, room(main)),
      h('section', { class: 'card' }, h('div', { class: 'scroll' }, h('table', {},
        h('thead', {}, h('tr', {}, columns.map((c, i) => h('th', { class: numeric[i] ? 'num' : undefined }, h('bdi', {}, c.name))))),
        h('tbody', {}, rows.map(r => h('tr', {}, r.map((v, i) => h('td', { class: numeric[i] ? 'num' : 'cell' }, show(v, columns[i]))))))))),
      h('details', {}, h('summary', {}, 'How it was answered'), h('pre', { class: 'code' }, result.explain)));
  }

  put(main, h('h1', {}, 'Query'),
    h('section', { class: 'card' }, input, wrong, h('div', { class: 'actions' }, run,
      h('button', { class: 'small', onclick: () => copy(`nerve query ${place.queue} ${quoted(input.value)}`, 'The command') }, 'As a command'),
      h('span', { class: 'dim hint' }, 'select … by … where … having … order … limit …'))),
    answer);
  if (parameters().q) ask();
  return event => event.key === '/' && (input.focus(), true);
}

// chart draws the last column of numbers by the first one, over time if that is one.
function chart(columns, rows, numeric, width) {
  const value = columns.findLastIndex((c, i) => numeric[i] && i > 0);
  if (value < 0 || rows.length < 2) return undefined;
  const number = v => Number(v ?? 0);
  if (columns[0].kind === 'timestamp') {
    const sorted = rows.toSorted((a, b) => (a[0] < b[0] ? -1 : 1));
    return h('section', { class: 'card' }, lines({ title: columns[value].name, times: sorted.map(r => r[0]), format: short, label: clock, width,
      series: [{ name: columns[value].name, values: sorted.map(r => number(r[value])) }] }));
  }
  const named = columns.slice(0, value).map((c, i) => i).filter(i => !numeric[i] || i === 0);
  return h('section', { class: 'card' }, h('h2', {}, columns[value].name),
    bars(rows.slice(0, 20).map(r => ({ name: named.map(i => r[i] ?? '–').join(' · '), value: number(r[value]) })), short));
}
