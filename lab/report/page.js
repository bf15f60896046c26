// The page: what is chosen, and what of the raw file is shown for it.
const page = JSON.parse(document.getElementById('data').textContent);
const R = page.results, all = R.measurements || [], sweeps = R.sweeps || [], fits = page.fits || [];
const $ = id => document.getElementById(id), one = q => document.querySelector(q);
const distinct = list => [...new Set(list)];
const by = key => (a, b) => a[key] - b[key];

const isPlain = m => m.goroutines <= 1 && !m.ballast_mib;
const settingOf = m => (m.goroutines > 1 ? m.goroutines + ' goroutines' : '1 goroutine') + (m.ballast_mib ? `, ${m.ballast_mib} MiB held` : '');
const kindOf = (impl, group) => impl === page.baselines[group] ? 'base' : page.kinds[impl];
const byCase = new Map();
for (const m of [...all].sort(by('ns'))) {
  const key = [settingOf(m), m.group, m.workload, m.op].join('\n');
  if (!byCase.has(key)) byCase.set(key, []);
  byCase.get(key).push(m);
}
const caseOf = (setting, group, workload, op) => byCase.get([setting, group, workload, op].join('\n')) || [];

const metrics = {
  ns: { name: 'time', show: showTime }, bytes: { name: 'memory allocated', show: showBytes }, allocs: { name: 'allocations', show: showCount },
};
const plain = '1 goroutine';
const state = { group: '', workload: '', op: '', metric: 'ns', setting: plain, scale: 'auto', view: 'charts', sort: 'ns', hidden: [] };

// The choice stands in the address, so that a view can be sent to somebody.
function restore() {
  for (const [k, v] of new URLSearchParams(location.hash.slice(1))) if (k in state) state[k] = k === 'hidden' ? v.split(';').filter(Boolean) : v;
  const groups = distinct(all.map(m => m.group));
  if (!groups.includes(state.group)) state.group = groups[0] || '';
  const mine = all.filter(m => m.group === state.group);
  if (state.workload !== 'all' && !mine.some(m => m.workload === state.workload)) state.workload = mine.length ? mine[0].workload : 'all';
  if (!mine.some(m => m.op === state.op)) state.op = 'all';
  if (!mine.some(m => settingOf(m) === state.setting)) state.setting = plain;
  if (!metrics[state.metric]) state.metric = 'ns';
}
function choose(change) {
  Object.assign(state, change);
  history.replaceState(null, '', '#' + new URLSearchParams({ ...state, hidden: state.hidden.join(';') }));
  draw();
}

function filters() {
  const mine = all.filter(m => m.group === state.group);
  const pick = (key, label, options) => h('label', {}, label,
    h('select', { onchange: e => choose({ [key]: e.target.value }) },
      options.map(([value, text]) => { const o = h('option', { value }, text); o.selected = state[key] === value; return o; })));
  const names = (key, any) => [...any, ...distinct(mine.map(m => m[key])).map(v => [v, v])];
  const impls = distinct(mine.map(m => m.impl)).sort((a, b) => rank(a) - rank(b));
  const chip = impl => {
    const off = state.hidden.includes(impl);
    return h('button', { class: 'chip ' + kindOf(impl, state.group), 'aria-pressed': String(!off),
      onclick: () => choose({ hidden: off ? state.hidden.filter(i => i !== impl) : [...state.hidden, impl] }) }, impl);
  };
  $('filters').replaceChildren(
    pick('group', 'group', distinct(all.map(m => m.group)).map(g => [g, g])),
    pick('workload', 'workload', names('workload', [['all', 'all workloads']])),
    pick('op', 'operation', names('op', [['all', 'all operations']])),
    pick('metric', 'bars show', Object.entries(metrics).map(([k, m]) => [k, m.name])),
    pick('setting', 'with', distinct(mine.map(settingOf)).map(v => [v, v])),
    pick('scale', 'scale', [['auto', 'log where needed'], ['linear', 'linear'], ['log', 'log']]),
    pick('view', 'view', [['charts', 'charts'], ['table', 'table']]),
    h('div', { class: 'peers' }, impls.map(chip)));
  $('shown').textContent = [state.group, state.workload === 'all' ? 'all workloads' : state.workload, state.op === 'all' ? 'all operations' : state.op, state.setting].join(' · ');
}
const rank = impl => ['ours', 'base', 'peer', 'reference'].indexOf(kindOf(impl, state.group));
const isLog = rows => state.scale === 'log' || state.scale === 'auto' && needsLog(rows);
const visible = m => !state.hidden.includes(m.impl);

// fill puts cards into a place and draws them at the width they got: make(width) returns the content.
function fill(place, cards) {
  const boxes = cards.map(c => h('div', { class: 'card' + (c.wide ? ' wide' : '') }, c.title && h('h3', {}, c.title, c.soft && h('small', {}, ' ' + c.soft))));
  place.replaceChildren(...boxes);
  const widths = boxes.map(b => { const style = getComputedStyle(b); return b.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight); });
  cards.forEach((c, i) => boxes[i].append(c.make(widths[i])));
}

function glance() {
  const mine = all.filter(m => m.group === state.group && settingOf(m) === state.setting);
  fill(one('#glance .cards'), distinct(mine.map(m => m.op)).filter(op => state.op === 'all' || op === state.op).map(op => {
    const rows = distinct(mine.map(m => m.workload)).map(workload => {
      const same = caseOf(state.setting, state.group, workload, op), base = same.find(m => kindOf(m.impl, m.group) === 'base');
      const marks = base ? same.filter(m => visible(m) && kindOf(m.impl, m.group) !== 'reference').map(m => (
        { value: base.ns / m.ns, kind: kindOf(m.impl, m.group), tip: `${m.impl}: ${showTimes(base.ns / m.ns)}, ${showTime(m.ns)}` })) : [];
      return { label: workload, marks, pick: () => { choose({ workload }); $('detail').scrollIntoView(); } };
    }).filter(r => r.marks.length);
    return rows.length && { title: op, soft: 'times as fast as ' + page.baselines[state.group], make: w => strip(w, rows, 1, op) };
  }).filter(Boolean));
}

const columns = [
  ['impl', '', m => m.impl], ['ns', 'time', m => showTime(m.ns)], ['times', '×', (m, base) => base ? showTimes(base / m.ns) : ''],
  ['ns_min', 'fastest', m => showTime(m.ns_min), 1], ['ns_max', 'slowest', m => showTime(m.ns_max), 1], ['mb_s', 'MB/s', m => digits(m.mb_s), 1],
  ['bytes', 'B', m => showCount(Math.round(m.bytes))], ['allocs', 'allocs', m => showCount(m.allocs)], ['gc_cycles', 'GCs', m => m.gc_cycles, 1],
  ['gc_pause_ns', 'GC pause', m => showTime(m.gc_pause_ns), 1], ['mutex_wait_ns', 'mutex wait', m => showTime(m.mutex_wait_ns), 1], ['rounds', 'rounds', m => m.rounds, 1],
];
function table(list, base) {
  const key = state.sort === 'times' ? 'ns' : state.sort, down = key === 'mb_s';
  const rows = [...list].sort((a, b) => key === 'impl' ? a.impl.localeCompare(b.impl) : down ? b[key] - a[key] : a[key] - b[key]);
  return h('table', {},
    h('thead', {}, h('tr', {}, columns.map(([id, name, , wide]) => press(h('th', { 'data-sort': id, class: wide ? 'wide-only' : '', 'aria-sort': state.sort === id && 'ascending' }, name || 'implementation'), () => choose({ sort: id }))))),
    h('tbody', {}, rows.map(m => h('tr', { class: kindOf(m.impl, m.group) }, columns.map(([, , show, wide]) => h('td', { class: wide ? 'wide-only' : '' }, show(m, base)))))));
}

function detail() {
  const metric = metrics[state.metric], mine = all.filter(m => m.group === state.group);
  const workloads = state.workload === 'all' ? distinct(mine.map(m => m.workload)) : [state.workload];
  const ops = state.op === 'all' ? distinct(mine.map(m => m.op)) : [state.op];
  $('detail-title').textContent = (state.workload === 'all' ? 'All workloads' : state.workload) + ': ' + (state.view === 'table' ? 'every figure' : metric.name);
  const cards = [];
  for (const workload of workloads) {
    for (const op of ops) {
      const same = caseOf(state.setting, state.group, workload, op), list = same.filter(visible);
      if (!list.length) continue;
      const base = (same.find(m => kindOf(m.impl, m.group) === 'base') || {}).ns;
      const times = m => base ? showTimes(base / m.ns) : '';
      const rows = [...list].sort(by(state.metric)).map(m => ({
        label: m.impl, kind: kindOf(m.impl, m.group), value: m[state.metric], low: state.metric === 'ns' && m.ns_min, high: state.metric === 'ns' && m.ns_max,
        text: metric.show(m[state.metric]), times: state.metric === 'ns' && times(m),
        tip: `${m.impl}: ${showTime(m.ns)} (${showTime(m.ns_min)} to ${showTime(m.ns_max)}) ${times(m)}, ${showBytes(m.bytes)} in ${showCount(m.allocs)} allocations, ${digits(m.mb_s)} MB/s, ${m.gc_cycles} GC cycles`,
      }));
      const log = isLog(rows), asTable = state.view === 'table';
      cards.push({ title: state.workload === 'all' ? workload + ' · ' + op : op, soft: showBytes(same[0].size) + (log && !asTable ? ', log scale' : ''), wide: asTable,
        make: w => asTable ? table(list, base) : bars(w, rows, log, metric.show, workload + ', ' + op) });
    }
  }
  fill(one('#detail .cards'), cards);
}

function lost() {
  const SHOWN = 12, PEERS = 4; // the rest is behind a click
  const factor = l => l.best.ns / l.by[0].ns;
  const mine = (page.losses || []).filter(l => l.best.group === state.group).sort((a, b) => factor(b) - factor(a));
  const gaps = (page.missing || []).filter(m => m.group === state.group);
  const where = m => [h('b', {}, m.workload), ' · ', m.op, isPlain(m) ? '' : ' · ' + settingOf(m)];
  const item = l => h('li', {}, where(l.best), ': our ', h('span', { class: 'soft' }, l.best.impl), ' ', showTime(l.best.ns), '; ',
    l.by.slice(0, PEERS).map((m, i) => [i ? ', ' : '', m.impl, ' ', showTime(m.ns), h('b', {}, ` (${Math.round((l.best.ns / m.ns - 1) * 100)} % faster`, l.overlaps[i] ? ', rounds overlap)' : ')')]),
    l.by.length > PEERS && ` and ${l.by.length - PEERS} more`, l.also && h('span', { class: 'soft' }, '; lost too with ' + l.also.map(settingOf).join(' and ')));
  const cases = [...byCase.keys()].filter(k => k.split('\n')[1] === state.group).length;
  one('#lost .body').replaceChildren(
    h('p', { class: 'note' }, mine.length ? `In ${mine.reduce((n, l) => n + 1 + (l.also || []).length, 0)} of ${cases} comparisons a peer is more than 10 % faster than our best form.`
      : all.length ? 'Nowhere in this group is a peer more than 10 % faster than our best form.' : 'Nothing was measured.'),
    h('ul', { class: 'lost' }, mine.slice(0, SHOWN).map(item)),
    mine.length > SHOWN ? h('details', {}, h('summary', {}, `${mine.length - SHOWN} more, by smaller factors`), h('ul', { class: 'lost' }, mine.slice(SHOWN).map(item))) : '',
    gaps.length ? h('p', { class: 'bad' }, 'Measured for peers and not for us: ', gaps.map((m, i) => [i ? '; ' : '', where(m)])) : '');
}

// conditions compares each implementation with itself: a row for each operation on the chosen workload, or for each workload.
function conditions() {
  const mine = all.filter(m => m.group === state.group), ops = distinct(mine.map(m => m.op)), workloads = distinct(mine.map(m => m.workload));
  const chosen = state.op === 'all' ? ops : [state.op], cards = [];
  const row = (label, setting, workload, op) => {
    const before = caseOf(plain, state.group, workload, op);
    return { label, marks: caseOf(setting, state.group, workload, op).filter(visible).flatMap(m => {
      const alone = before.find(b => b.impl === m.impl);
      return alone ? [{ value: alone.ns / m.ns, kind: kindOf(m.impl, m.group), tip: `${m.impl}: ${showTimes(alone.ns / m.ns)} of ${showTime(alone.ns)}` }] : [];
    }) };
  };
  for (const m of new Map(mine.filter(m => !isPlain(m)).map(m => [settingOf(m), m])).values()) {
    const setting = settingOf(m), tables = state.workload === 'all'
      ? chosen.map(op => [op, workloads.map(w => row(w, setting, w, op))]) : [[state.workload, chosen.map(op => row(op, setting, state.workload, op))]];
    for (const [title, list] of tables) {
      const rows = list.filter(r => r.marks.length);
      if (rows.length) cards.push({ title: title + ', ' + setting, soft: 'times as fast as with ' + plain, make: w => strip(w, rows, Math.max(1, m.goroutines), title) });
    }
  }
  $('conditions').hidden = !cards.length;
  fill(one('#conditions .cards'), cards);
}

let picked = '';
function shapes() {
  $('sweeps').hidden = !sweeps.length;
  const kind = impl => kindOf(impl, 'protobuf'), axes = [['depth', 'levels of nesting'], ['fields', 'fields'], ['kib', 'KiB of blob']];
  const mark = card => {
    card.classList.toggle('picked', Boolean(picked));
    card.querySelectorAll('[data-impl]').forEach(e => e.classList.toggle('on', e.dataset.impl === picked));
  };
  const body = one('#sweeps .body');
  fill(body, distinct(sweeps.map(x => x.op)).map(op => ({ title: op, wide: true, make: width => {
    const mine = sweeps.map((x, i) => ({ ...x, fit: fits[i] })).filter(x => x.op === op && visible(x));
    const columns = width >= 924 ? 3 : width >= 612 ? 2 : 1, w = (width - 12 * (columns - 1)) / columns;
    const charts = axes.map(([axis, name]) => {
      const others = axes.map(a => a[0]).filter(a => a !== axis);
      const series = mine.map(x => {
        // Along an axis lie the points that share the other two values; of several such rows the longest is drawn.
        const rows = new Map();
        for (const p of x.points) { const key = others.map(o => p[o]).join(); (rows.get(key) || rows.set(key, []).get(key)).push(p); }
        const points = [...rows.values()].sort((a, b) => b.length - a.length)[0].sort(by(axis)), at = { ...points[0] };
        const f = x.fit, rest = f.const + others.reduce((sum, o) => sum + f[o] * at[o], 0);
        return { name: x.impl, kind: kind(x.impl), points: points.map(p => [p[axis], p.ns]), fitted: v => rest + f[axis] * v };
      }).filter(x => x.points.length > 1);
      return series.length && curves(w, Math.max(200, series.length * 13 + 50), series, name, axis === 'kib' ? v => showCount(v) : String);
    }).filter(Boolean);
    const term = (f, key) => (f.unknown || []).includes(key) ? '?' : f[key].toPrecision(3).replace(/e\+?/, 'e').replace(/^(-?\d+)\.?0*$/, '$1');
    const rows = mine.sort((a, b) => a.fit.depth - b.fit.depth).map(({ fit: f }) => {
      const row = h('tr', { class: kind(f.impl), 'data-impl': f.impl }, h('td', {}, f.impl), ['const', 'depth', 'fields', 'kib'].map(k => h('td', {}, term(f, k))),
        h('td', {}, f.r2.toFixed(3)), h('td', { class: 'wide-only' }, Math.round(f.worst * 100) + ' %'));
      return press(row, () => { picked = picked === f.impl ? '' : f.impl; body.querySelectorAll('.card').forEach(mark); });
    });
    return h('div', {}, h('div', { class: 'triple' }, charts), h('table', {}, h('thead', {}, h('tr', {}, ['ns =', 'a', 'b/level', 'c/field', 'd/KiB', 'R²'].map(t => h('th', {}, t)), h('th', { class: 'wide-only' }, 'worst'))), h('tbody', {}, rows)));
  } })));
  body.querySelectorAll('.card').forEach(mark);
}

function space() {
  const sizes = (R.sizes || []).filter(visible), rss = (R.rss || []).filter(visible), cards = [];
  const bar = (list, key, show) => [...list].sort(by(key)).map(x => ({ label: x.impl, kind: kindOf(x.impl, 'protobuf'), value: x[key], text: show(x[key]), tip: `${x.impl}: ${show(x[key])}` }));
  const add = (title, soft, list, key, show) => {
    const rows = bar(list.filter(x => x[key] > 0), key, show);
    if (rows.length) cards.push({ title, soft, make: w => bars(w, rows, isLog(rows), show, title) });
  };
  add('Program', 'smallest that uses it', sizes, 'binary_bytes', showBytes);
  add('Generated code', 'lines for each field', sizes, 'lines_per_field', showCount);
  for (const where of distinct(rss.map(x => x.workload + ', ' + x.op)))
    add(where, 'peak resident memory, a million messages', rss.filter(x => x.workload + ', ' + x.op === where), 'peak_bytes', showBytes);
  $('space').hidden = !cards.length;
  fill(one('#space .cards'), cards);
}

function run() {
  const pairs = (R.control || []).map(c => ({ ...c, off: Math.abs(c.ns_a / c.ns_b - 1) * 100 })).sort((a, b) => b.off - a.off);
  const wrong = R.wrong || [], median = pairs.length ? pairs[pairs.length >> 1].off : 0;
  const rows = (head, list) => h('table', {}, h('thead', {}, h('tr', {}, head.map(t => h('th', {}, t)))), h('tbody', {}, list.map(cells => h('tr', {}, cells.map(c => h('td', {}, c))))));
  one('#run .body').replaceChildren(
    h('p', {}, pairs.length ? `Control: ${pairs.length} pairs of identical runs; half of them differ by less than ${median.toFixed(1)} %, the worst by ${pairs[0].off.toFixed(1)} %. Smaller differences than that between two bars mean nothing.` : 'No control was run.'),
    pairs.length ? h('details', {}, h('summary', {}, 'every pair'), rows(['', 'once', 'again', 'apart'], pairs.map(c => [`${c.workload} · ${c.op} · ${c.impl}`, showTime(c.ns_a), showTime(c.ns_b), c.off.toFixed(1) + ' %']))) : '',
    wrong.length ? h('div', { class: 'bad' }, h('p', {}, 'Wrong, and therefore not timed:'), h('ul', {}, wrong.map(w => h('li', {}, h('b', {}, w.impl), `, ${w.workload} · ${w.op}: ${w.difference}`)))) : h('p', {}, 'Every implementation gave the right result everywhere.'),
    h('h3', {}, 'Versions'), h('table', { class: 'plain' }, h('tbody', {}, Object.entries(R.versions || {}).sort().map(([k, v]) => h('tr', {}, h('td', {}, k), h('td', {}, v || 'this commit'))))));
}

function draw() {
  restore();
  for (const part of [filters, glance, detail, lost, conditions, shapes, space, run]) part();
  $('baseline').textContent = page.baselines[state.group] || '';
  // Tests read this: how many bars there are, and that drawing came to its end.
  document.documentElement.dataset.bars = document.querySelectorAll('.bar').length;
}

$('facts').textContent = [R.date, 'commit ' + R.commit, R.machine.cpu, R.machine.cores + ' cores', showBytes(R.machine.mem_bytes), R.machine.os, R.machine.go].filter(Boolean).join(' · ');
$('raw').href = URL.createObjectURL(new Blob([JSON.stringify(R, null, 1)], { type: 'application/json' }));
if (innerWidth <= 640) one('.filters').open = false;
draw();
let drawn = innerWidth;
addEventListener('resize', () => { if (innerWidth !== drawn) { drawn = innerWidth; requestAnimationFrame(draw); } });
addEventListener('hashchange', draw);
