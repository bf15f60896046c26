// Extensions are unknown fields that somebody knows: they are read from there and written to it.

import { keep, note } from "./decode.js";
import { GremlinError } from "./error.js";
import { fieldsOf, type MessageType, type Table } from "./table.js";
import { E, longTag, MAX_DEPTH, skip } from "./wire.js";
import { encode } from "./writer.js";

/** An extension of messages of type M with values of type T. */
export interface Extension<M, T> {
  /** Full name. */
  readonly name: string;
  /** The message that is extended. */
  readonly extendee: Table;
  /** A message that has the extension as its one field. */
  readonly type: MessageType<{ value: T }>;
  /** @internal */ readonly of?: (m: M) => void;
}

/** What may have extensions: Messages. */
export interface Extendable {
  $unknown?: Uint8Array | undefined;
}

/** Splits unknown fields into those of a number and the others. */
function split(u: Uint8Array, number: number): [of: number[] | undefined, others: number[] | undefined] {
  let of: number[] | undefined, others: number[] | undefined;
  let p = 0;
  while (p < u.length) {
    const at = p;
    let t = u[p++]!; if (t > 127) { t = longTag(u, at); p = E; }
    p = skip(u, p, u.length, t, MAX_DEPTH);
    if (t >>> 3 === number) of = note(of, at, p); else others = note(others, at, p);
  }
  if (p !== u.length) throw new GremlinError("malformed", "", "$unknown", p);
  return [of, others];
}

function numberOf<M, T>(x: Extension<M, T>): number { return fieldsOf(x.type.table)[0]!.number; }

/**
 * Returns the extensions of a message set as fields: its items are groups that have number and
 * content.
 */
function unpacked(u: Uint8Array, x: { readonly extendee: Table }): Uint8Array {
  if (!x.extendee.messageSet) return u;
  return encode((w, set: Uint8Array) => {
    for (const item of itemsOf(set)) w.bytes(item.id * 8 + 2, item.content);
  }, u);
}

function itemsOf(u: Uint8Array): { id: number; content: Uint8Array }[] {
  const out: { id: number; content: Uint8Array }[] = [];
  for (let p = 0; p < u.length;) {
    const at = p;
    let t = u[p++]!; if (t > 127) { t = longTag(u, at); p = E; }
    const q = skip(u, p, u.length, t, MAX_DEPTH);
    if (t === 11) {
      const inside = decodeItem(u.subarray(p, q - 1));
      if (inside !== undefined) out.push(inside);
    } else if ((t & 7) === 2) out.push({ id: t >>> 3, content: bytesAt(u, p) });
    p = q;
  }
  return out;
}

function bytesAt(u: Uint8Array, p: number): Uint8Array {
  let l = 0, shift = 0, x: number;
  do { x = u[p++]!; l |= (x & 127) << shift; shift += 7; } while (x > 127);
  return u.subarray(p, p + l);
}

function decodeItem(u: Uint8Array): { id: number; content: Uint8Array } | undefined {
  let id = 0;
  let content: Uint8Array | undefined;
  for (let p = 0; p < u.length;) {
    const at = p;
    let t = u[p++]!; if (t > 127) { t = longTag(u, at); p = E; }
    if (t === 16) id = longTag(u, p);
    else if (t === 26) content = bytesAt(u, p);
    p = skip(u, p, u.length, t, MAX_DEPTH);
  }
  return id > 0 && content !== undefined ? { id, content } : undefined;
}

/** Returns the value of an extension; undefined, or an empty list, where it is not set. */
export function getExtension<M extends Extendable, T>(m: M, x: Extension<M, T>): T {
  const u = unpacked(m.$unknown ?? new Uint8Array(0), x);
  const [of] = split(u, numberOf(x));
  return x.type.decode(of === undefined ? new Uint8Array(0) : keep(undefined, u, of)).value;
}

/** Tells whether an extension is set. */
export function hasExtension<M extends Extendable, T>(m: M, x: Extension<M, T>): boolean {
  return m.$unknown !== undefined && split(unpacked(m.$unknown, x), numberOf(x))[0] !== undefined;
}

/** Sets an extension. */
export function setExtension<M extends Extendable, T>(m: M, x: Extension<M, T>, value: T): void {
  clearExtension(m, x);
  const field = encode(x.type.append, { value });
  const added = x.extendee.messageSet ? encode((w, content: Uint8Array) => {
    w.group(11);
    w.uint32(16, numberOf(x));
    w.bytes(26, content);
    w.end(12);
  }, bytesAt(field, tagLength(field))) : field;
  m.$unknown = keep(m.$unknown === undefined ? undefined : m.$unknown.slice(), added, [0, added.length]);
}

function tagLength(b: Uint8Array): number { longTag(b, 0); return E; }

/** Takes an extension away. */
export function clearExtension<M extends Extendable, T>(m: M, x: Extension<M, T>): void {
  if (m.$unknown === undefined) return;
  if (x.extendee.messageSet) {
    const items = itemsOf(m.$unknown).filter((i) => i.id !== numberOf(x));
    m.$unknown = encode((w) => {
      for (const i of items) { w.group(11); w.uint32(16, i.id); w.bytes(26, i.content); w.end(12); }
    }, m);
    return;
  }
  const [, others] = split(m.$unknown, numberOf(x));
  m.$unknown = others === undefined ? undefined : keep(undefined, m.$unknown, others);
}
