// Elements. What comes from outside becomes text nodes and attributes, never markup.

const SVG = 'http://www.w3.org/2000/svg';

// h makes an element: attributes, listeners (on…), and children, which are nodes or texts.
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// svg makes an element of a drawing.
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(c => c !== undefined && c !== null && c !== false));
  return element;
}

// visible shows what would not be seen, or would turn the text around it: control characters and marks of direction.
export const visible = text => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/g,
  c => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

// data is a text from a queue, on its own in the direction that it has.
export const data = text => h('bdi', {}, visible(text));

// put replaces what is in an element.
export function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(c => c !== undefined && c !== null && c !== false));
  return element;
}

let timer;

// notice shows a short message for a while.
export function notice(text, bad) {
  const place = document.getElementById('notice');
  put(place, h('div', { class: bad ? 'toast bad' : 'toast' }, text));
  clearTimeout(timer);
  timer = setTimeout(() => put(place), bad ? 8000 : 2500);
}

// copy puts a text on the clipboard.
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`${what} copied`);
  } catch {
    notice('The browser does not let this page use the clipboard.', true);
  }
}
