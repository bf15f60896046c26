// The keys.
import { h } from './dom.js';

const KEYS = [
  ['0', 'all queues'], ['1 to 5', 'messages, consumers, throughput, query, storage'],
  ['/', 'filter'], ['j k ↓ ↑', 'next and previous row'], ['Enter', 'open'],
  ['l', 'live'], ['n p → ←', 'next and previous message'], ['Esc', 'back'], ['?', 'this help'],
];

export function help() {
  const dialog = h('dialog', { class: 'help', onclose: () => dialog.remove() },
    h('h2', {}, 'Keys'),
    h('dl', {}, KEYS.map(([key, what]) => [h('dt', {}, key.split(' ').map(k => k === 'to' ? ' to ' : h('kbd', {}, k))), h('dd', {}, what)])),
    h('form', { method: 'dialog' }, h('button', { autofocus: true }, 'Close')));
  document.body.append(dialog);
  dialog.showModal();
}
