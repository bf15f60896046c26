// Messages: browse from a place, search, or watch live. All of it is in the URL.
import { data, h, put, notice } from './dom.js';
import { events, get, url } from './api.js';
import { filterBar } from './filter.js';
import { bytes, clock, count, duration, short } from './format.js';
import { go, parameters, path, reload, setParameters } from './place.js';
import { failure, walk } from './screen.js';

const PAGE = 100; // records in a list
const KEPT = 300; // rows of a live view

export async function show(main, place, signal) {
  const state = parameters();
  const { schema } = await get(place.queue, 'storage', {}, signal);
  const fields = schema?.fields ?? [];
  const columns = (state.columns ?? '').split(',').filter(Boolean);
  const live = state.at === 'live';
  const filtered = Boolean(state.where || state.contains);
  const change = changed => { setParameters(changed); reload(); };

  const bar = filterBar({ contains: state.contains, where: state.where, fields, apply: changed => change(changed) });
  const status = h('div', { class: 'status', role: 'status' });
  const body = h('tbody');
  const table = h('table', { class: 'messages' },
    h('thead', {}, h('tr', {}, h('th', { class: 'num' }, 'id'), h('th', { class: 'time' }, 'time'), h('th', { class: 'num size' }, 'size'),
      columns.length ? columns.map(c => h('th', {}, h('bdi', {}, c))) : h('th', {}, 'record'))), body);
  const more = h('div', { class: 'more' });
  put(main, toolbar(place.queue, state, fields, columns, change), bar.element, status, h('div', { class: 'scroll' }, table), more);

  const view = { queue: place.queue, state, columns, body, status, more, change, signal };
  const problem = error => {
    if (signal.aborted) return;
    if (error.column || filtered && error.status === 400) bar.problem(error);
    else put(status, failure(error));
  };
  if (live) watch(view).catch(problem);
  else if (filtered) search(view).catch(problem);
  else await browse(view).catch(problem);

  const step = walk(body, 'tr');
  return event => {
    if (event.key === '/') bar.focus();
    else if (event.key === 'l') change({ at: live ? '' : 'live' });
    else if (event.key === 'Escape') go('/');
    else if (event.key === 'Enter' && document.activeElement?.dataset?.id) open(place.queue, document.activeElement.dataset.id);
    else return step(event);
    return true;
  };
}

const open = (queue, id) => go(path(queue, 'record', id));

function toolbar(queue, state, fields, columns, change) {
  const at = state.at ?? 'newest';
  const tab = (name, value) => h('button', { 'aria-pressed': String(at === value), onclick: () => change({ at: value === 'newest' ? '' : value }) }, name);
  const where = h('input', { type: 'text', class: 'place', placeholder: 'id or time', 'aria-label': 'id or time',
    value: /^(newest|oldest|live)$/.test(at) ? '' : at, onkeydown: event => { if (event.key === 'Enter') change({ at: where.value.trim() }); } });
  const chosen = h('input', { type: 'text', class: 'columns', list: 'paths', placeholder: 'columns: user.id, amount', 'aria-label': 'columns',
    value: columns.join(', '), onchange: () => change({ columns: chosen.value.split(',').map(s => s.trim()).filter(Boolean).join(',') }) });
  const exported = format => h('a', { download: true, href: url(queue, 'export', { format, at: at === 'live' ? '' : state.at, where: state.where, contains: state.contains, columns: state.columns }) }, format);
  return h('div', { class: 'toolbar' },
    h('div', { class: 'segments', role: 'group', 'aria-label': 'from where' }, tab('Newest', 'newest'), tab('Oldest', 'oldest'), tab('Live', 'live')),
    where, chosen, h('datalist', { id: 'paths' }, fields.map(f => h('option', { value: f.path }))),
    h('details', { class: 'menu' }, h('summary', {}, 'Export'), h('div', {}, exported('jsonl'), exported('csv'), exported('raw'))));
}

function row(view, r) {
  const cells = view.columns.length ? r.columns.map(c => h('td', { class: /^-?[\d.]+$/.test(c) ? 'num' : 'cell' }, data(c))) :
    h('td', { class: `preview ${r.form}` }, r.error && h('span', { class: 'badge bad', title: r.error }, 'not its type'),
      r.size ? data(r.text) : h('span', { class: 'dim' }, 'empty'));
  return h('tr', { tabindex: 0, 'data-id': r.id, onclick: () => getSelection().isCollapsed && open(view.queue, r.id) },
    h('td', { class: 'num id' }, r.id), h('td', { class: 'time', title: r.time }, clock(r.time)), h('td', { class: 'num size' }, bytes(r.size)), cells);
}

// browse lists the records at a place.
async function browse(view) {
  const { state } = view, newest = !state.at;
  const list = await get(view.queue, 'records', { at: state.at, limit: PAGE, columns: state.columns }, view.signal);
  const shown = newest ? list.records.toReversed() : list.records;
  put(view.body, shown.map(r => row(view, r)));
  const [from, to] = [list.records[0]?.id, list.records.at(-1)?.id];
  put(view.status, list.records.length === 0 ? (list.last < list.first ? 'The queue is empty.' : 'There is nothing behind this place.') :
    [`${count(from)} to ${count(to)} of ${count(list.last)}`, list.damage && h('span', { class: 'bad' }, ` · ${list.damage}`)]);
  put(view.more, from > list.first && h('button', { onclick: () => view.change({ at: Math.max(list.first, from - PAGE) }) }, 'Earlier'),
    to < list.last && h('button', { onclick: () => view.change({ at: to + 1 }) }, 'Later'));
}

function progress(e, stop) {
  const bar = h('progress', { max: e.total || 1, value: e.scanned, 'aria-label': 'progress' });
  const speed = e.seconds > 0.05 ? ` · ${short(e.scanned / e.seconds)}/s` : '';
  return [bar, h('span', {}, `${short(e.scanned)} of ${short(e.total)}${speed} · ${short(e.hits)} ${e.hits === 1 ? 'hit' : 'hits'}`),
    e.errors > 0 && h('span', { class: 'warntext', title: e.first_error }, ` · ${count(e.errors)} skipped`), stop];
}

// search looks through the queue for what matches.
async function search(view) {
  const { state } = view;
  const stopper = new AbortController();
  view.signal.addEventListener('abort', () => stopper.abort());
  const stop = h('button', { class: 'small', onclick: () => stopper.abort() }, 'Stop');
  let last;
  try {
    await events(view.queue, 'scan', { at: state.at, where: state.where, contains: state.contains, columns: state.columns, before: state.before }, e => {
      last = e;
      view.body.append(...e.records.map(r => row(view, r)));
      put(view.status, progress(e, !e.end && stop));
    }, stopper.signal);
  } catch (error) {
    if (error.name !== 'AbortError' || !last) throw error;
    put(view.status, progress(last), h('span', { class: 'dim' }, ' · stopped'));
    return;
  }
  if (!last) return;
  view.status.append(h('span', { class: last.error ? 'bad' : 'dim' },
    last.error ? ` · ${last.error}` : last.end === 'limit' ? ' · there may be more' : ` · in ${duration(last.seconds)}`));
  if (last.end === 'limit') {
    put(view.more, h('button', { onclick: () => view.change(state.at ? { at: last.next } : { before: last.next }) }, 'Search on'));
  }
}

// watch shows what is appended now. The table holds a screen or two, however long it is watched.
async function watch(view) {
  const filtered = view.state.where || view.state.contains;
  let paused = false, waiting = [];
  const pause = h('button', { class: 'small', onclick: () => { paused = !paused; pause.textContent = paused ? 'Go on' : 'Pause'; } }, 'Pause');
  const text = h('span');
  put(view.status, h('span', { class: 'dot' }), text, pause);
  const began = performance.now();
  let before = { seen: 0, at: began }, rate = 0;
  const take = e => {
    const now = performance.now();
    if (now - before.at > 1000) {
      rate = (e.seen - before.seen) / (now - before.at) * 1000;
      before = { seen: e.seen, at: now };
    }
    text.textContent = ` ${short(e.seen)} seen · ${short(rate)}/s` + (filtered ? ` · ${short(e.matched)} matched` : '') +
      (e.dropped ? ` · ${short(e.dropped)} not shown` : '') + (e.behind > 1000 ? ` · ${short(e.behind)} behind` : '') +
      (e.errors ? ` · ${short(e.errors)} skipped` : '');
    if (e.error) notice(e.error, true);
    waiting.push(...e.records);
    if (waiting.length > KEPT) waiting = waiting.slice(-KEPT);
    if (paused || document.hidden || !waiting.length) return;
    view.body.prepend(...waiting.reverse().map(r => row(view, r)));
    waiting = [];
    while (view.body.childElementCount > KEPT) view.body.lastElementChild.remove();
  };
  while (!view.signal.aborted) {
    await events(view.queue, 'live', { where: view.state.where, contains: view.state.contains, columns: view.state.columns }, take, view.signal);
    await new Promise(done => setTimeout(done, 1000)); // the server was stopped, or is started again
  }
}
