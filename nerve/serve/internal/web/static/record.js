// One message: JSON, text format, and its fields beside its bytes, each linked with the other.
import { copy, data, h, put, visible } from './dom.js';
import { get, url } from './api.js';
import { hexView } from './hex.js';
import { bytes, clock, count } from './format.js';
import { go, parameters, path, setParameters } from './place.js';

export async function show(main, place, signal) {
  const r = await get(place.queue, `records/${place.id}`, {}, signal);
  const panel = h('div', { class: 'panel' });
  const views = { json: 'JSON', text: 'Text', fields: 'Fields and bytes', plain: 'Plain' };
  const has = { fields: true, json: r.json !== undefined, text: r.text !== undefined, plain: r.plain !== undefined };
  let linked = () => false;
  const select = (view, replace) => {
    setParameters({ view: view === first ? '' : view }, replace);
    for (const b of tabs.children) b.setAttribute('aria-selected', String(b.dataset.view === view));
    linked = draw[view](panel, place.queue, r, signal) ?? (() => false);
  };
  const first = has.json ? 'json' : 'fields';
  const tabs = h('div', { class: 'segments', role: 'tablist' }, Object.keys(views).filter(v => has[v]).map(v =>
    h('button', { role: 'tab', 'data-view': v, onclick: () => select(v, true) }, views[v])));
  const neighbour = (name, id, key) => h('a', { class: 'button', href: id >= r.first && id <= r.last ? path(place.queue, 'record', id) + location.search : undefined,
    title: `key ${key}`, 'aria-disabled': id >= r.first && id <= r.last ? false : 'true' }, name);

  put(main,
    h('div', { class: 'toolbar' }, h('a', { class: 'button', href: path(place.queue, 'messages') + `?at=${r.id}` }, '‹ Messages'),
      neighbour('Previous', r.id - 1, 'p'), neighbour('Next', r.id + 1, 'n'), h('span', { class: 'grow' }), tabs),
    h('section', { class: 'card' },
      h('div', { class: 'title' }, h('h1', {}, `Record ${count(r.id)}`), r.type && h('span', { class: 'dim' }, r.type)),
      h('p', { class: 'meta dim' }, `${clock(r.time)} · ${bytes(r.size)} · in a batch of ${count(r.batch_records)} from ${count(r.batch_first)}`),
      (r.error || r.anatomy.error && r.type) && h('p', { class: 'failure', role: 'alert' }, `It is not a message of its type: ${r.error ?? r.anatomy.error}`),
      r.cut && h('p', { class: 'dim' }, 'It is too long to be shown as JSON and text.'),
      h('div', { class: 'actions' },
        r.json !== undefined && h('button', { class: 'small', onclick: () => copy(JSON.stringify(r.json), 'JSON') }, 'Copy JSON'),
        h('button', { class: 'small', onclick: () => base64(place.queue, r.id, signal) }, 'Copy base64'),
        h('a', { class: 'button small', download: true, href: url(place.queue, `records/${r.id}/bytes`, { download: 1 }) }, 'Download'))),
    panel);
  const asked = parameters().view;
  select(has[asked] ? asked : first, true);
  return event => {
    const to = { n: r.id + 1, ArrowRight: r.id + 1, p: r.id - 1, ArrowLeft: r.id - 1 }[event.key];
    if (to !== undefined) {
      if (to >= r.first && to <= r.last) go(path(place.queue, 'record', to) + location.search);
    } else if (event.key === 'Escape') history.back();
    else return linked(event);
    return true;
  };
}

async function base64(queue, id, signal) {
  const answer = await fetch(url(queue, `records/${id}/bytes`, { download: 1 }), { signal });
  const text = await new Promise((done, failed) => answer.blob().then(blob => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = failed;
    reader.readAsDataURL(blob);
  }));
  copy(text, 'base64');
}

const draw = {
  json: (panel, queue, r) => { put(panel, h('pre', { class: 'card code' }, colour(visible(JSON.stringify(r.json, null, 2))))); },
  text: (panel, queue, r) => { put(panel, h('pre', { class: 'card code' }, visible(r.text))); },
  plain: (panel, queue, r) => { put(panel, h('pre', { class: 'card code' }, visible(r.plain))); },
  fields,
};

// colour splits JSON into keys, texts and others. Long ones stay plain.
function colour(text) {
  if (text.length > 200_000) return text;
  const parts = [];
  let at = 0;
  for (const m of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    parts.push(text.slice(at, m.index));
    const kind = m[1] ? 'key' : m[0][0] === '"' ? 'str' : 'lit';
    parts.push(h('span', { class: `j${kind}` }, m[0]));
    at = m.index + m[0].length;
  }
  return [...parts, text.slice(at)];
}

// fields draws the tree of fields and the bytes, and links them both ways.
function fields(panel, queue, r, signal) {
  const rows = [], tree = h('div', { class: 'tree', role: 'tree', 'aria-label': 'fields' });
  const add = (list, depth, guessed) => {
    for (const node of list) {
      const row = line(node, depth, guessed, () => choose(rows.findIndex(x => x.row === row)));
      rows.push({ node, row });
      tree.append(row);
      add(node.children ?? [], depth + 1, guessed || node.guess);
    }
  };
  add(r.anatomy.nodes, 0, false);
  if (!rows.length && !r.anatomy.fault) tree.append(h('p', { class: 'dim' }, 'No fields: an empty message.'));
  if (r.anatomy.cut) tree.append(h('p', { class: 'dim' }, 'There are more fields than are listed here.'));
  const hex = hexView(queue, r.id, r.size, signal, offset => {
    // The innermost field that has the byte comes last.
    const i = rows.findLastIndex(({ node }) => offset >= node.tag && offset < node.next);
    if (i >= 0) choose(i);
  });
  const error = r.anatomy.fault;
  const wrong = () => hex.mark([{ from: error.offset, to: error.offset + 1, kind: 'err' }]);
  if (error) {
    tree.append(h('button', { class: 'nodeerror', onclick: wrong },
      `byte ${error.offset}${error.path ? `, in ${error.path}` : ''}: ${error.reason}`));
  }
  const legend = h('p', { class: 'legend dim' }, h('span', { class: 'tag' }, 'tag'), h('span', { class: 'len' }, 'length'), h('span', { class: 'val' }, 'value'));
  let chosen = -1;
  function choose(i) {
    rows[chosen]?.row.setAttribute('aria-selected', 'false');
    chosen = i;
    const { node, row } = rows[i];
    row.setAttribute('aria-selected', 'true');
    row.scrollIntoView({ block: 'nearest' });
    row.focus({ preventScroll: true });
    hex.mark([{ from: node.tag, to: node.length, kind: 'tag' }, { from: node.length, to: node.value, kind: 'len' },
      { from: node.value, to: node.end, kind: 'val' }, { from: node.end, to: node.next, kind: 'tag' }].filter(range => range.from < range.to));
  }
  put(panel, h('div', { class: 'anatomy' }, h('section', { class: 'card' }, h('h2', {}, r.type ? 'Fields' : 'Fields by number'), tree),
    h('section', { class: 'card' }, h('h2', {}, 'Bytes'), legend, hex.element)));
  hex.start().then(() => error && wrong()).catch(() => {});
  return event => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (!by || !rows.length) return false;
    choose(Math.max(0, Math.min(rows.length - 1, chosen + by)));
    return true;
  };
}

function line(node, depth, guessed, choose) {
  const row = h('div', { class: guessed ? 'node guessed' : 'node', role: 'treeitem', tabindex: -1, 'aria-selected': 'false', 'aria-level': depth + 1, onclick: choose },
    h('span', { class: 'number' }, node.number ?? ''), node.name && h('span', { class: 'name' }, node.name),
    h('span', { class: 'type dim' }, node.type ?? node.kind ?? node.wire), h('span', { class: 'value' }, data(node.text ?? (node.children ? `${node.end - node.value} bytes` : ''))),
    node.guess && h('span', { class: 'badge' }, 'could be a message'), node.note && h('span', { class: 'dim note' }, node.note),
    h('span', { class: 'range dim' }, `${node.tag < node.length ? node.tag : node.value}–${node.next - 1}`));
  row.style.setProperty('--depth', depth);
  return row;
}
