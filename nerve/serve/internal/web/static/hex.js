// Bytes as hexadecimal and text, a window of them at a time; ranges can be marked and bytes chosen.
import { h, put } from './dom.js';
import { binary } from './api.js';
import { bytes, count } from './format.js';

const WINDOW = 4096, LINE = 16;

const printable = b => b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : '·';

// hexView shows a record's bytes. chosen(offset) is called for a byte that somebody clicks.
export function hexView(queue, id, size, signal, chosen) {
  const rows = h('div', { class: 'hexrows', role: 'grid', 'aria-label': 'bytes' });
  const where = h('span', { class: 'dim' });
  const page = by => h('button', { class: 'small', onclick: () => load(Math.max(0, Math.min(at + by, last()))) }, by < 0 ? 'Back' : 'On');
  const last = () => Math.floor(Math.max(0, size - 1) / WINDOW) * WINDOW;
  let at = -1, cells = new Map(), marked = [], loading = Promise.resolve();

  async function load(from) {
    if (from === at) return;
    const data = await binary(queue, `records/${id}/bytes`, { from }, signal);
    at = from;
    cells = new Map();
    const part = data.subarray(0, WINDOW);
    where.textContent = size > WINDOW ? `bytes ${count(from)} to ${count(from + part.length - 1)} of ${bytes(size)}` : '';
    const lines = [];
    for (let i = 0; i < part.length; i += LINE) lines.push(line(part.subarray(i, i + LINE), from + i));
    put(rows, lines);
  }

  function line(part, offset) {
    const hex = [], text = [];
    part.forEach((b, i) => {
      const a = h('span', { 'data-o': offset + i, class: i === 8 ? 'b gap' : 'b' }, b.toString(16).padStart(2, '0'));
      const c = h('span', { 'data-o': offset + i, class: 'c' }, printable(b));
      cells.set(offset + i, [a, c]);
      hex.push(a);
      text.push(c);
    });
    for (let i = part.length; i < LINE; i++) hex.push(h('span', { class: i === 8 ? 'b gap' : 'b' }, '  '));
    return h('div', { class: 'hexline' }, h('span', { class: 'offset' }, offset.toString(16).padStart(6, '0')),
      h('span', { class: 'hex' }, hex), h('span', { class: 'ascii' }, text));
  }

  rows.addEventListener('click', event => {
    if (event.target.dataset.o) chosen(Number(event.target.dataset.o));
  });

  // mark shows ranges [{ from, to, kind }], and the first of them if it is elsewhere.
  function mark(ranges) {
    loading = loading.then(async () => {
      if (ranges.length && !(ranges[0].from >= at && ranges[0].from < at + WINDOW)) await load(Math.floor(ranges[0].from / WINDOW) * WINDOW);
      for (const cell of marked) cell.classList.remove('tag', 'len', 'val', 'err');
      marked = [];
      for (const { from, to, kind } of ranges) {
        for (let o = Math.max(from, at); o < Math.min(to, at + WINDOW); o++) {
          for (const cell of cells.get(o) ?? []) { cell.classList.add(kind); marked.push(cell); }
        }
      }
      marked[0]?.scrollIntoView({ block: 'nearest' });
    });
    return loading;
  }

  return {
    element: h('div', { class: 'hexview' }, size > WINDOW && h('div', { class: 'pager' }, page(-WINDOW), page(WINDOW), where), rows),
    start: () => load(0), mark,
  };
}
