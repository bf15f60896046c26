// The filter bar: a text, or an expression with completion and a caret where it is wrong.
import { h, put } from './dom.js';

const WORDS = [
  ['record.id', 'uint'], ['record.time', 'timestamp'], ['record.size', 'int'], ['has(', 'is it there'], ['size(', 'length'],
  ['startsWith(', 'of a text'], ['endsWith(', 'of a text'], ['contains(', 'of a text'], ['matches(', 'a regular expression'],
  ['duration("1h")', 'a time span'], ['timestamp("', 'a time'], ['now', 'this moment'], ['true', 'bool'], ['false', 'bool'],
].map(([path, type]) => ({ path, type }));

// candidates are what may stand where the caret is: paths, functions, and names of an enum behind a comparison.
export function candidates(fields, text, caret) {
  const before = text.slice(0, caret);
  const word = before.match(/[\w.]*$/)[0];
  const compared = before.slice(0, before.length - word.length).match(/([\w.]+)\s*(?:==|!=|in\s*\[(?:[^\]]*,)?)\s*$/);
  const values = compared && fields.find(f => f.path === compared[1])?.values;
  const all = values ? values.map(v => ({ path: v, type: compared[1] })) : [...fields, ...WORDS];
  const small = word.toLowerCase();
  const hits = all.filter(c => c.path.toLowerCase().includes(small) && c.path !== word);
  hits.sort((a, b) => !a.path.toLowerCase().startsWith(small) - !b.path.toLowerCase().startsWith(small));
  return word || values ? { word, list: hits.slice(0, 8) } : { word, list: [] };
}

// filterBar returns { element, focus, problem }. It calls apply({ contains, where }) when the filter is to be used.
export function filterBar({ contains = '', where = '', fields, apply }) {
  const expression = fields.length > 0;
  const mode = h('select', { 'aria-label': 'kind of filter', onchange: () => { input.placeholder = hint(); close(); input.focus(); } },
    h('option', { value: 'where', disabled: !expression }, 'expression'), h('option', { value: 'contains' }, 'text'));
  mode.value = where || expression && !contains ? 'where' : 'contains';
  const hint = () => mode.value === 'where' ? 'amount > 100 && user.geo.country == "DE"   ( / )' : 'only records that contain …   ( / )';
  const list = h('ul', { class: 'completion', role: 'listbox', id: 'completion', hidden: true });
  const wrong = h('pre', { class: 'caret', role: 'alert', hidden: true });
  const input = h('input', {
    type: 'text', value: where || contains, placeholder: '', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
    'aria-label': 'filter', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'completion', oninput: complete,
    onblur: () => setTimeout(close, 150), onkeydown: key,
  });
  input.placeholder = hint();
  let chosen = -1, found = { list: [] };

  function close() {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  function complete() {
    wrong.hidden = true;
    found = mode.value === 'where' ? candidates(fields, input.value, input.selectionStart) : { list: [] };
    chosen = -1;
    put(list, found.list.map((c, i) => h('li', { role: 'option', id: `option${i}`, onpointerdown: event => { event.preventDefault(); take(i); } },
      h('span', {}, c.path), h('span', { class: 'dim' }, c.type))));
    list.hidden = found.list.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
  }

  function choose(i) {
    chosen = (i + found.list.length) % found.list.length;
    [...list.children].forEach((li, n) => li.setAttribute('aria-selected', String(n === chosen)));
    input.setAttribute('aria-activedescendant', `option${chosen}`);
  }

  function take(i) {
    const caret = input.selectionStart, from = caret - found.word.length;
    input.setRangeText(found.list[i].path, from, caret, 'end');
    close();
    input.focus();
  }

  function key(event) {
    const open = !list.hidden;
    if (open && event.key === 'ArrowDown') choose(chosen + 1);
    else if (open && event.key === 'ArrowUp') choose(chosen < 0 ? -1 : chosen - 1);
    else if (open && event.key === 'Tab') take(Math.max(chosen, 0));
    else if (open && event.key === 'Escape') close();
    else if (event.key === 'Enter' && open && chosen >= 0) take(chosen);
    else if (event.key === 'Enter') { close(); use(); } else return;
    event.preventDefault();
  }

  function use() {
    wrong.hidden = true;
    const text = input.value.trim();
    apply(mode.value === 'where' ? { where: text, contains: '' } : { where: '', contains: text });
  }

  return {
    element: h('div', { class: 'filter' }, h('div', { class: 'filterline' }, mode,
      h('div', { class: 'combo' }, input, list), h('button', { class: 'primary', onclick: use }, 'Filter'),
      h('button', { class: 'quiet', onclick: () => { input.value = ''; use(); } }, 'Clear')), wrong),
    focus: () => { input.focus(); input.select(); },
    problem: error => { put(wrong, caret(error)); wrong.hidden = false; },
  };
}

// caret shows what is wrong below the place where it is.
export const caret = error => [error.caret, error.message, error.hint].filter(Boolean).join('\n');
