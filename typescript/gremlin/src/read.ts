// What Readers leave to the runtime.

import { type Code, GremlinError } from "./error.js";
import { behindGroup, DEEP, E, longTag, MAX_DEPTH, skip, start } from "./wire.js";

/** Reads one value and sets E. */
export type Read<T> = (b: Uint8Array, p: number) => T;

/** Says what is wrong with one level of a message that cannot be indexed. */
export function malformed(name: string, b: Uint8Array, s: number, e: number): GremlinError {
  let p = s, at = s, code: Code = "malformed";
  while (p < e) {
    at = p;
    let t = b[p++]!; if (t > 127) { t = longTag(b, at); p = E; }
    p = skip(b, p, e, t, MAX_DEPTH);
    if (p === DEEP) code = "nested too deep";
  }
  return new GremlinError(code, name, "", at - s);
}

/**
 * Returns the content of a message field that came more than once: its pieces, one behind the
 * other. Any of the tags in others, those of members of the same oneof, starts anew.
 */
export function gather(b: Uint8Array, s: number, e: number, tag: number,
  others: readonly number[]): Uint8Array {
  let ranges: number[] = [], n = 0;
  for (let p = s; p < e;) {
    const at = p;
    let t = b[p++]!; if (t > 127) { t = longTag(b, at); p = E; }
    const q = skip(b, p, e, t, MAX_DEPTH);
    if (t === tag) {
      if ((t & 7) === 2) p = start(b, p); else behindGroup(b, p, e, t, MAX_DEPTH);
      ranges.push(p, E);
      n += E - p;
    } else if (others.includes(t)) { ranges = []; n = 0; }
    p = q;
  }
  const out = new Uint8Array(n);
  n = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    out.set(b.subarray(ranges[i], ranges[i + 1]), n);
    n += ranges[i + 1]! - ranges[i]!;
  }
  return out;
}

/** Returns a Reader of a message field that came more than once. */
export function merged<R>(type: new (b: Uint8Array, s: number, e: number) => R, b: Uint8Array,
  s: number, e: number, tag: number, others: readonly number[]): R {
  const all = gather(b, s, e, tag, others);
  return new type(all, 0, all.length);
}

/** Returns where the content of the group with this start tag ends. */
export function groupEnd(b: Uint8Array, p: number, e: number, tag: number): number {
  behindGroup(b, p, e, tag, MAX_DEPTH);
  return E;
}

/** Reads a list of what are no messages: from s, where the first is, to e; s is -1 for none. */
export function list<T>(b: Uint8Array, s: number, e: number, tag: number, read: Read<T>,
  isKnown?: (v: T) => boolean): T[] {
  const out: T[] = [];
  if (s < 0) return out;
  const packed = (tag & ~7) + 2;
  for (let p = s; p < e;) {
    const at = p;
    let t = b[p++]!; if (t > 127) { t = longTag(b, at); p = E; }
    if (t === tag) {
      const v = read(b, p);
      p = E;
      if (isKnown === undefined || isKnown(v)) out.push(v);
    } else if (t === packed) {
      p = start(b, p);
      for (const end = E; p < end; p = E) {
        const v = read(b, p);
        if (isKnown === undefined || isKnown(v)) out.push(v);
      }
    } else p = skip(b, p, e, t, MAX_DEPTH);
  }
  return out;
}

/** The items of a repeated message field: each is read when the iteration comes to it. */
export class List<R> implements Iterable<R> {
  /** @internal */ declare readonly b: Uint8Array;
  /** @internal */ declare readonly s: number;
  /** @internal */ declare readonly e: number;
  /** @internal */ declare readonly tag: number;
  /** @internal */ declare readonly type: new (b: Uint8Array, s: number, e: number) => R;

  /** @internal */
  constructor(b: Uint8Array, s: number, e: number, tag: number,
    type: new (b: Uint8Array, s: number, e: number) => R) {
    this.b = b; this.s = s < 0 ? e : s; this.e = e; this.tag = tag; this.type = type;
  }

  /** How many items there are; they are counted each time. */
  get length(): number {
    let n = 0;
    for (const it = new Items(this); it.step();) n++;
    return n;
  }

  [Symbol.iterator](): Iterator<R> { return new Items(this); }
}

class Items<R> implements Iterator<R> {
  declare private readonly list: List<R>;
  declare private p: number;
  declare private at: number;
  declare private end: number;
  declare done: boolean;
  declare value: R;

  constructor(l: List<R>) {
    this.list = l; this.p = l.s; this.at = 0; this.end = 0; this.done = false;
    this.value = undefined as R;
  }

  /** Goes to the next item and tells whether there is one. */
  step(): boolean {
    const l = this.list, b = l.b, e = l.e, tag = l.tag;
    for (let p = this.p; p < e;) {
      const at = p;
      let t = b[p++]!; if (t > 127) { t = longTag(b, at); p = E; }
      if (t !== tag) { p = skip(b, p, e, t, MAX_DEPTH); continue; }
      if ((t & 7) === 2) {
        this.at = start(b, p);
        this.end = this.p = E;
      } else {
        this.at = p;
        this.p = behindGroup(b, p, e, t, MAX_DEPTH);
        this.end = E;
      }
      return true;
    }
    return false;
  }

  // The result is the iterator itself: loops take it apart at once.
  next(): IteratorResult<R> {
    if (this.step()) this.value = new this.list.type(this.list.b, this.at, this.end);
    else { this.done = true; this.value = undefined as R; }
    return this as unknown as IteratorResult<R>;
  }
}

/** Where key and value of the last map entry are, 0 where it has none. */
export let KEY = 0;
export let VALUE = 0;

/** Finds key and value of the map entry from p to e; of two of a kind the last one counts. */
export function entry(b: Uint8Array, p: number, e: number, key: number, value: number,
  d: number): boolean {
  let k = 0, v = 0;
  while (p < e) {
    const at = p;
    let t = b[p++]!; if (t > 127) { t = longTag(b, at); p = E; }
    if (t === key) k = p; else if (t === value) v = p;
    p = skip(b, p, e, t, d);
  }
  KEY = k; VALUE = v;
  return p === e;
}

/** Reads a map field by its entries: from s, where the first is, to e; s is -1 for none. */
export function map<K, V>(b: Uint8Array, s: number, e: number, tag: number, key: number,
  value: number, readKey: (p: number) => K, readValue: (p: number) => V,
  isKnown?: (v: V) => boolean): Map<K, V> {
  const out = new Map<K, V>();
  if (s < 0) return out;
  for (let p = s; p < e;) {
    const at = p;
    let t = b[p++]!; if (t > 127) { t = longTag(b, at); p = E; }
    if (t !== tag) { p = skip(b, p, e, t, MAX_DEPTH); continue; }
    p = start(b, p);
    const end = E;
    if (!entry(b, p, end, key, value, MAX_DEPTH)) throw new GremlinError("malformed", "", "", p);
    const at2 = VALUE, k = readKey(KEY), v = readValue(at2);
    if (isKnown === undefined || isKnown(v)) out.set(k, v);
    p = end;
  }
  return out;
}
