'use strict';
// Drawing: every function takes a width in pixels and plain values, and returns an element. None knows of the raw file.

// node makes an element; attributes that start with "on" are listeners, and children may be text, nothing or lists.
function node(space, tag, attributes, children) {
  const e = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v == null || v === false) continue;
    if (k.startsWith('on')) e[k] = v; else e.setAttribute(k, v);
  }
  e.append(...children.flat(Infinity).filter(c => c != null && c !== false));
  return e;
}
const h = (tag, attributes, ...children) => node(null, tag, attributes, children);
const s = (tag, attributes, ...children) => node('http://www.w3.org/2000/svg', tag, attributes, children);

// press makes anything work as a button, with the keyboard too.
const press = (e, act) => {
  e.setAttribute('tabindex', 0);
  e.onclick = act;
  e.onkeydown = k => { if (k.key === 'Enter' || k.key === ' ') { k.preventDefault(); act(); } };
  return e;
};

const digits = x => x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2);
const step = (x, names, by) => {
  let i = 0;
  while (x >= by && i < names.length - 1) { x /= by; i++; }
  return (i === 0 && Number.isInteger(x) ? String(x) : digits(x)) + ' ' + names[i];
};
const showTime = ns => step(ns, ['ns', 'µs', 'ms', 's'], 1000);
const showBytes = b => step(b, ['B', 'KiB', 'MiB', 'GiB'], 1024);
const showCount = n => Number.isInteger(n) ? String(n) : digits(n);
const showTimes = x => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2)) + '×';

const textWidth = (() => {
  const context = document.createElement('canvas').getContext('2d');
  context.font = '600 12px system-ui, sans-serif';
  return t => context.measureText(t).width;
})();
const widest = texts => Math.ceil(Math.max(0, ...texts.map(textWidth)));

// logTicks are round numbers from lo to hi: decades, and 2 and 5 of each where there are few decades.
function logTicks(lo, hi) {
  const ticks = [];
  const between = hi / lo < 30 ? [1, 2, 5] : [1];
  for (let d = Math.floor(Math.log10(lo)); d <= Math.ceil(Math.log10(hi)); d++)
    for (const m of between) { const t = m * 10 ** d; if (t >= lo * 0.999 && t <= hi * 1.001) ticks.push(t); }
  while (ticks.length > 6) for (let i = ticks.length - 2; i > 0; i -= 2) ticks.splice(i, 1);
  return ticks;
}

// needsLog tells whether the shortest bar would be too short to see beside the longest; references do not count.
function needsLog(rows) {
  const values = rows.filter(r => r.kind !== 'reference' && r.value > 0).map(r => r.value);
  return Math.max(...values) / Math.min(...values) > 100;
}

// bars draws rows of {label, kind, value, low, high, text, times, tip} one below the other. In a narrow place a
// row's words stand above its bar. A logarithmic scale begins at the power of ten below the smallest bar.
function bars(width, rows, log, show, name) {
  const times = widest(rows.map(r => r.times || '')), labels = widest(rows.map(r => r.label)) + 10;
  const values = widest(rows.map(r => r.text)) + 10 + (times && times + 8);
  const stacked = width < 520 || width - labels - values < 90;
  const x0 = stacked ? 0 : labels, span = width - x0 - (stacked ? 0 : values);
  const positive = rows.map(r => r.value).filter(v => v > 0);
  // One very slow round must not make all bars short: a thin line may end at the edge.
  const longest = Math.max(...rows.map(r => r.value), 1e-9), top = Math.min(Math.max(longest, ...rows.map(r => r.high || 0)), longest * 1.4), least = Math.min(...positive);
  if (!positive.length) log = false;
  const floor = log ? 10 ** (Math.ceil(Math.log10(least) - 1e-9) - 1) : 0;
  const x = v => v <= floor ? 0 : log ? Math.log(v / floor) / Math.log(top / floor) * span : v / top * span;
  const step = stacked ? 34 : 22, thick = stacked ? 10 : 14, axis = log ? 18 : 0;
  const height = rows.length * step + axis;
  const svg = s('svg', { width, height, role: 'img', 'aria-label': name + ': ' + rows.map(r => r.label + ' ' + r.text).join(', ') });
  if (log) {
    let end = -1e9;
    for (const t of logTicks(floor, top)) {
      const half = textWidth(show(t)) / 2, at = Math.min(Math.max(x(t), half), width - x0 - half);
      svg.append(s('line', { class: 'grid', x1: x0 + x(t), x2: x0 + x(t), y1: 0, y2: height - axis }));
      if (at - half < end + 4) continue;
      end = at + half;
      svg.append(s('text', { class: 'soft', x: x0 + at, y: height - 4, 'text-anchor': 'middle' }, show(t)));
    }
  }
  rows.forEach((r, i) => {
    const y = i * step, mid = stacked ? y + 22 : y + step / 2, word = stacked ? y + 12 : mid + 4;
    svg.append(s('g', {}, s('title', {}, r.tip),
      s('rect', { x: 0, y, width, height: step, fill: 'transparent' }),
      s('text', { class: r.kind, x: 0, y: word }, r.label),
      s('rect', { class: 'bar ' + r.kind, x: x0, y: mid - thick / 2, width: r.value > 0 ? Math.max(1.5, x(r.value)) : 0, height: thick, rx: 2 }),
      r.high > r.low && s('line', { class: 'whisker', x1: x0 + x(r.low), x2: x0 + Math.min(x(r.high), span), y1: mid, y2: mid }),
      s('text', { class: r.kind === 'ours' ? 'ours' : '', x: width - (times && times + 8), y: word, 'text-anchor': 'end' }, r.text),
      r.times && s('text', { class: r.kind === 'ours' ? 'ours' : 'soft', x: width, y: word, 'text-anchor': 'end' }, r.times)));
  });
  return svg;
}

// strip draws a row of marks for each of rows, {label, marks: [{value, kind, tip}], pick}, on one logarithmic scale of
// ratios; an upright line stands at mark.
function strip(width, rows, mark, name) {
  const labels = Math.min(widest(rows.map(r => r.label)) + 14, width * 0.45), span = width - labels - 16;
  const all = rows.flatMap(r => r.marks.map(m => m.value)).concat(1, mark);
  const lo = Math.min(...all) / 1.1, hi = Math.max(...all) * 1.1;
  const x = v => labels + 8 + Math.log(v / lo) / Math.log(hi / lo) * span;
  const step = 20, height = rows.length * step + 20;
  const svg = s('svg', { width, height, role: 'img', 'aria-label': name });
  for (const t of logTicks(lo, hi)) {
    svg.append(s('line', { class: 'grid', x1: x(t), x2: x(t), y1: 0, y2: height - 18 }),
      s('text', { class: 'soft', x: x(t), y: height - 4, 'text-anchor': 'middle' }, showCount(t) + '×'));
  }
  svg.append(s('line', { class: 'mark', x1: x(mark), x2: x(mark), y1: 0, y2: height - 18 }));
  rows.forEach((r, i) => {
    const mid = i * step + step / 2;
    const label = s('text', { class: r.pick ? 'pick' : '', x: 0, y: mid + 4 }, r.label);
    if (r.pick) press(label, r.pick).setAttribute('role', 'button');
    svg.append(s('line', { class: 'grid', x1: labels, x2: width, y1: mid, y2: mid }), label);
    const best = Math.max(...r.marks.filter(m => m.kind === 'ours').map(m => m.value));
    if (isFinite(best)) svg.append(s('line', { class: 'reach', x1: x(mark), x2: x(best), y1: mid, y2: mid }));
    for (const kind of ['peer', 'base', 'ours'])
      for (const m of r.marks.filter(m => m.kind === kind))
        svg.append(s('circle', { class: kind !== 'ours' ? 'dot ' + kind : m.value === best ? 'dot ours best' : 'ring', cx: x(m.value), cy: mid, r: kind === 'ours' ? 4.5 : 3.5 }, s('title', {}, m.tip)));
  });
  return svg;
}

// curves draws series of {name, kind, points: [[x, y]], fitted: x => y} with logarithmic y, and x too where it spans much
// (as log(1+x), since shapes start at 0). Names stand at the ends, pushed apart.
function curves(width, height, series, xName, xShow) {
  const right = widest(series.map(r => r.name)) + 8, left = 44, bottom = 30, top = 8;
  const xs = series.flatMap(r => r.points.map(p => p[0])), ys = series.flatMap(r => r.points.map(p => p[1]));
  const x0 = Math.min(...xs), x1 = Math.max(...xs), bend = x1 - x0 > 40 ? v => Math.log1p(v) : v => v;
  const y0 = Math.min(...ys) / 1.15, y1 = Math.max(...ys) * 1.15;
  const x = v => left + (bend(v) - bend(x0)) / (bend(x1) - bend(x0)) * (width - left - right);
  const y = v => height - bottom - Math.log(Math.max(v, y0) / y0) / Math.log(y1 / y0) * (height - bottom - top);
  const svg = s('svg', { width, height, role: 'img', 'aria-label': 'time by ' + xName });
  for (const t of logTicks(y0, y1))
    svg.append(s('line', { class: 'grid', x1: left, x2: width - right, y1: y(t), y2: y(t) }), s('text', { class: 'soft', x: left - 5, y: y(t) + 4, 'text-anchor': 'end' }, showTime(t)));
  let last = -1e9;
  for (const t of [...new Set(xs)].sort((a, b) => a - b)) {
    if (x(t) - last < 38 || t !== x1 && x(x1) - x(t) < 38) continue;
    last = x(t);
    svg.append(s('text', { class: 'soft', x: x(t), y: height - bottom + 14, 'text-anchor': 'middle' }, xShow(t)));
  }
  svg.append(s('text', { class: 'soft', x: (left + width - right) / 2, y: height - 2, 'text-anchor': 'middle' }, xName));
  const order = { peer: 0, reference: 0, base: 1, ours: 2 };
  const ends = series.map(r => ({ r, y: y(r.points.at(-1)[1]) })).sort((a, b) => a.y - b.y);
  ends.forEach((e, i) => { if (i) e.y = Math.max(e.y, ends[i - 1].y + 12); });
  const over = ends.length ? ends.at(-1).y - (height - bottom) : 0;
  if (over > 0) for (let i = ends.length - 1, limit = height - bottom; i >= 0; i--, limit -= 12) ends[i].y = Math.min(ends[i].y, limit);
  for (const { r, y: at } of ends.sort((a, b) => order[a.r.kind] - order[b.r.kind])) {
    const path = [];
    for (let i = 0; i <= 60; i++) {
      const part = bend(x0) + (bend(x1) - bend(x0)) * i / 60, v = bend(1) === 1 ? part : Math.expm1(part), fit = r.fitted(v);
      if (fit >= y0) path.push((path.length ? 'L' : 'M') + x(v).toFixed(1) + ' ' + y(fit).toFixed(1));
    }
    svg.append(s('g', { class: 'series ' + r.kind, 'data-impl': r.name },
      s('path', { class: 'curve ' + r.kind, d: path.join('') || null }),
      r.points.map(p => s('circle', { class: r.kind, cx: x(p[0]), cy: y(p[1]), r: 2.6 }, s('title', {}, `${r.name}: ${xShow(p[0])} ${xName}, ${showTime(p[1])}`))),
      s('text', { class: r.kind, x: width - right + 6, y: at + 4 }, r.name)));
  }
  return svg;
}
