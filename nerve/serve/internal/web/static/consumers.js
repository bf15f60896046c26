// Consumers: how far each is behind, in records, bytes and time, and where that goes.
import { h, notice, put } from './dom.js';
import { get, send } from './api.js';
import { lines, room, sparkline } from './chart.js';
import { bytes, clock, count, duration, second, short } from './format.js';
import { parameters, setParameters } from './place.js';
import { every, walk } from './screen.js';

const SPANS = { '': '10 min', '1h': '1 h', '24h': '24 h' };

function trend(c) {
  if (c.lag === 0) return h('span', { class: 'badge good' }, 'at the end');
  if (Math.abs(c.trend) < 0.5) return h('span', { class: 'badge' }, '→ steady');
  if (c.trend > 0) return h('span', { class: 'badge bad' }, `↗ ${short(c.trend)}/s`);
  return h('span', { class: 'badge good' }, `↘ ${short(-c.trend)}/s`);
}

function move(queue, c, refresh) {
  const to = h('input', { type: 'text', required: true, value: c.pointer, 'aria-label': 'pointer' });
  const name = h('input', { type: 'text', autocomplete: 'off', 'aria-label': 'name of the consumer' });
  const hold = h('input', { type: 'checkbox', checked: c.hold });
  const wrong = h('p', { class: 'bad', role: 'alert' });
  const dialog = h('dialog', { onclose: () => dialog.remove() },
    h('form', { method: 'dialog', onsubmit: async event => {
      if (event.submitter?.value !== 'move') return;
      event.preventDefault();
      if (name.value !== c.name) { wrong.textContent = 'This is not the name of the consumer.'; return; }
      try {
        const moved = await send('PUT', queue, `consumers/${encodeURIComponent(c.name)}`, { pointer: to.value.trim(), hold: hold.checked });
        dialog.close();
        notice(`${c.name} is at ${count(moved.pointer)}`);
        refresh();
      } catch (error) { wrong.textContent = `${error.message}${error.hint ? `; ${error.hint}` : ''}`; }
    } },
    h('h2', {}, 'Move the pointer of ', h('bdi', {}, c.name)),
    h('p', { class: 'dim' }, 'Everything up to the pointer counts as done. A smaller one delivers records again, a larger one skips some.'),
    h('label', {}, 'New pointer: an id, oldest, newest, or a time', to),
    h('label', { class: 'line' }, hold, ' keep what it has not read from being trimmed'),
    h('label', {}, 'Write the name of the consumer to confirm', name), wrong,
    h('div', { class: 'actions' }, h('button', { class: 'danger', value: 'move' }, 'Move'), h('button', { value: 'cancel', formnovalidate: true }, 'Cancel'))));
  document.body.append(dialog);
  dialog.showModal();
  to.select();
}

function row(queue, c, may, refresh) {
  return h('tr', { tabindex: 0 },
    h('td', { class: 'name' }, h('bdi', {}, c.name), c.where && h('div', { class: 'dim small' }, h('bdi', {}, c.where))),
    h('td', { class: 'num' }, count(c.pointer)), h('td', { class: 'num strong' }, short(c.lag)), h('td', { class: 'num' }, c.lag ? bytes(c.lag_bytes) : '–'),
    h('td', { class: 'num strong' }, c.lag ? duration(c.lag_seconds) : '–'), h('td', {}, trend(c)),
    h('td', { class: 'num' }, c.eta_seconds !== undefined ? duration(c.eta_seconds) : '–'), h('td', { class: 'num' }, `${short(Math.max(0, c.rate))}/s`),
    h('td', {}, sparkline(c.lags.slice(-120))), h('td', { class: 'num' }, short(c.unacked)), h('td', {}, c.hold ? 'holds' : ''),
    h('td', { class: 'time' }, c.saved ? clock(c.saved) : ''),
    h('td', {}, may && h('button', { class: 'small', disabled: Boolean(c.where), title: c.where ? 'close the consumer first' : undefined,
      onclick: () => move(queue, c, refresh) }, 'Move')));
}

const HEAD = ['consumer', '#pointer', '#lag', '#bytes', '#time behind', 'trend', '#gone in', '#rate', 'lag over time', '#unacked', '', 'saved', '']; // # is a number

export async function show(main, place, signal) {
  const body = h('tbody'), chart = h('div');
  const span = () => parameters().span ?? '';
  const spans = h('div', { class: 'segments', role: 'group', 'aria-label': 'time' }, Object.entries(SPANS).map(([value, name]) =>
    h('button', { 'data-span': value, onclick: () => { setParameters({ span: value }); refresh(); } }, name)));
  put(main, h('div', { class: 'toolbar' }, h('h1', {}, 'Consumers'), h('span', { class: 'grow' }), spans),
    h('section', { class: 'card' }, h('div', { class: 'scroll' }, h('table', { class: 'consumers' }, h('thead', {}, h('tr', {}, HEAD.map(t => h('th', { class: t[0] === '#' && 'num' }, t.replace('#', ''))))), body))), chart);
  const refresh = async () => {
    for (const b of spans.children) b.setAttribute('aria-pressed', String(b.dataset.span === span()));
    const list = await get(place.queue, 'consumers', { span: span() }, signal);
    const focus = [...body.children].indexOf(document.activeElement);
    put(body, list.consumers.length ? list.consumers.map(c => row(place.queue, c, list.may_move, refresh)) :
      h('tr', {}, h('td', { colspan: HEAD.length, class: 'dim' }, 'No consumer has a pointer in this queue.')));
    body.children[focus]?.focus();
    put(chart, list.consumers.length > 0 && h('section', { class: 'card' }, lines({ title: 'Lag in records', times: list.times, format: short, label: second,
      width: room(main), series: list.consumers.slice(0, 6).map(c => ({ name: c.name, values: c.lags })) })));
  };
  await refresh();
  every(1000, signal, async () => { if (!main.contains(document.activeElement?.closest?.('button'))) await refresh(); });
  return walk(body, 'tr');
}
