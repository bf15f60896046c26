// Drawings: a sparkline, lines over time, bars. SVG without text that could be markup.
import { h, svg } from './dom.js';

const path = (values, x, y) => values.map((v, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join('');

// sparkline is a small line without axes.
export function sparkline(values, width = 120, height = 28) {
  if (values.length < 2) return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'spark', 'aria-hidden': 'true' });
  const most = Math.max(...values, 1e-9);
  const x = i => i / (values.length - 1) * width, y = v => height - 2 - v / most * (height - 4);
  const line = path(values, x, y);
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'spark', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('path', { d: `${line}L${width} ${height}L0 ${height}Z`, class: 'area' }), svg('path', { d: line, class: 'line' }));
}

// nice is the least of 1, 2, 5 times a power of ten that is not below v.
function nice(v) {
  const power = 10 ** Math.floor(Math.log10(v || 1));
  return [1, 2, 5, 10].find(m => m * power >= v * 0.999) * power;
}

// room is how wide a drawing is in an element that has some of them side by side, in pixels.
export function room(main, columns = 1) {
  const all = main.clientWidth - 2 * 20, fit = Math.max(1, Math.min(columns, Math.floor((all + 14) / (480 + 14))));
  return Math.max(280, (all - 14 * (fit - 1)) / fit - 2 * 17);
}

// lines draws series over common times, [{ name, values }], as wide as there is room.
export function lines({ title, times, series, format, label, width, height = 180 }) {
  const left = 72, right = 8, top = 10, below = 22;
  const all = series.flatMap(s => s.values);
  const most = nice(Math.max(...all, 1e-9));
  const x = i => left + (times.length < 2 ? 0 : i / (times.length - 1)) * (width - left - right);
  const y = v => height - below - v / most * (height - top - below);
  const grid = [0, 0.5, 1].map(f => [
    svg('path', { d: `M${left} ${y(f * most)}H${width - right}`, class: 'grid' }),
    svg('text', { x: left - 8, y: y(f * most) + 4, 'text-anchor': 'end' }, format(f * most))]);
  const steps = Math.min(times.length - 1, width < 500 ? 2 : 4);
  const marks = times.length < 2 ? [] : Array.from({ length: steps + 1 }, (_, n) => n / steps).map(f => {
    const i = Math.round(f * (times.length - 1));
    return svg('text', { x: x(i), y: height - 4, 'text-anchor': f === 0 ? 'start' : f === 1 ? 'end' : 'middle' }, label(times[i]));
  });
  const cursor = svg('path', { class: 'cursor' });
  const readout = h('output', { class: 'readout' });
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': title }, grid, marks,
    series.map((s, n) => [series.length === 1 && times.length > 1 &&
      svg('path', { class: `area c${n}`, d: `${path(s.values, x, y)}L${x(times.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z` }),
    svg('path', { class: `line c${n % 6}`, d: path(s.values, x, y) })]), cursor);
  drawing.addEventListener('pointermove', event => {
    const box = drawing.getBoundingClientRect();
    const i = Math.round(((event.clientX - box.left) / box.width * width - left) / (width - left - right) * (times.length - 1));
    if (!(i >= 0 && i < times.length)) return;
    cursor.setAttribute('d', `M${x(i)} ${top}V${height - below}`);
    readout.textContent = `${label(times[i])} · ${series.map(s => `${s.name} ${format(s.values[i])}`).join(' · ')}`;
  });
  drawing.addEventListener('pointerleave', () => { cursor.setAttribute('d', ''); readout.textContent = ''; });
  return h('figure', {}, h('figcaption', {}, title,
    series.length > 1 && h('span', { class: 'legend' }, series.map((s, n) => h('span', { class: `key c${n % 6}` }, s.name))), readout), drawing);
}

// bars draws values with their names, the longest as wide as there is room.
export function bars(rows, format) {
  const most = Math.max(...rows.map(r => Math.abs(r.value)), 1e-9);
  return h('div', { class: 'bars' }, rows.map(r => {
    const bar = h('span', { class: 'bar' });
    bar.style.width = `${Math.max(0.3, Math.abs(r.value) / most * 100)}%`;
    return h('div', { class: 'barrow' }, h('bdi', { class: 'barname' }, r.name), h('span', { class: 'bartrack' }, bar), h('span', { class: 'num' }, format(r.value)));
  }));
}
