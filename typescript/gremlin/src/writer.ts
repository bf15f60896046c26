// Writing is one pass forward: the length of a nested message is put in behind it.

import { GremlinError } from "./error.js";
import { MAX_DEPTH } from "./wire.js";

const encoder = new TextEncoder();
const scratch: DataView = new DataView(new ArrayBuffer(8));
const bytes8 = new Uint8Array(scratch.buffer);

/** An integer of 64 bits: a string has decimal digits. */
export type Int64 = bigint | number | string;

/** Tells whether a number is written where zero goes without saying; that with a sign is. */
export function notZero(x: number | undefined): x is number {
  return x !== undefined && (x !== 0 || 1 / x < 0);
}

/** Writer is memory that messages are written to, one behind the other. */
export class Writer {
  private b: Uint8Array;
  private p = 0;
  private depth = 0;

  constructor(capacity = 512) { this.b = new Uint8Array(capacity); }

  /** How many bytes there are. */
  get length(): number { return this.p; }

  /** How many bytes there is memory for. */
  get capacity(): number { return this.b.length; }

  /** Returns a copy of what has been written, and starts anew. */
  finish(): Uint8Array { const out = this.b.slice(0, this.p); this.reset(); return out; }

  /** Returns what has been written without a copy; the next write takes the memory again. */
  take(): Uint8Array { const out = this.b.subarray(0, this.p); this.reset(); return out; }

  /** Starts anew. */
  reset(): void { this.p = 0; this.depth = 0; }

  private room(n: number): void {
    const need = this.p + n;
    if (need <= this.b.length) return;
    if (need >= 0x3ffffffe) throw new GremlinError("too large");
    const b = new Uint8Array(Math.max(need, 2 * this.b.length));
    b.set(this.b.subarray(0, this.p));
    this.b = b;
  }

  private bad(tag: number, x: unknown): never {
    this.reset();
    throw new GremlinError("bad value", "", "", -1,
      `field ${tag >>> 3} cannot be ${typeof x === "string" ? JSON.stringify(x) : String(x)}`);
  }

  /** Writes a varint below 2^32. There is room. */
  private put(n: number): void {
    const b = this.b;
    let p = this.p;
    while (n > 127) { b[p++] = n & 127 | 128; n >>>= 7; }
    b[p++] = n;
    this.p = p;
  }

  private put64(lo: number, hi: number): void {
    const b = this.b;
    let p = this.p;
    while (hi !== 0) { b[p++] = lo & 127 | 128; lo = (lo >>> 7 | hi << 25) >>> 0; hi >>>= 7; }
    while (lo > 127) { b[p++] = lo & 127 | 128; lo >>>= 7; }
    b[p++] = lo;
    this.p = p;
  }

  /** Makes room for a number and writes its tag; values of packed lists have none, which is 0. */
  private head(tag: number): void {
    this.room(15);
    if (tag === 0) return;
    if (tag < 128) this.b[this.p++] = tag; else this.put(tag);
  }

  string(tag: number, s: string): void {
    const n = s.length;
    if (typeof s !== "string") this.bad(tag, s);
    this.room(3 * n + 10);
    const b = this.b;
    if (tag < 128) b[this.p++] = tag; else this.put(tag);
    let p = this.p;
    if (n < 64) {
      const at = p++;
      let i = 0;
      for (; i < n; i++) { const c = s.charCodeAt(i); if (c > 127) break; b[p + i] = c; }
      if (i === n) { b[at] = n; this.p = p + n; return; }
      p = at;
    }
    const head = n < 128 ? 1 : n < 16384 ? 2 : n < 2097152 ? 3 : 5;
    const len = encoder.encodeInto(s, b.subarray(p + head)).written;
    if (len !== n && /\p{Surrogate}/u.test(s)) this.bad(tag, s); // U+FFFD would stand for it
    const need = len < 128 ? 1 : len < 16384 ? 2 : len < 2097152 ? 3 : len < 268435456 ? 4 : 5;
    if (need !== head) b.copyWithin(p + need, p + head, p + head + len);
    this.put(len);
    this.p = p + need + len;
  }

  bytes(tag: number, x: Uint8Array): void {
    if (!(x instanceof Uint8Array)) this.bad(tag, x);
    this.room(x.length + 15);
    this.head(tag);
    this.put(x.length);
    this.b.set(x, this.p);
    this.p += x.length;
  }

  /** Writes bytes that are fields already. */
  raw(x: Uint8Array): void {
    this.room(x.length);
    this.b.set(x, this.p);
    this.p += x.length;
  }

  bool(tag: number, x: boolean): void { this.head(tag); this.b[this.p++] = x ? 1 : 0; }

  int32(tag: number, x: number): void {
    if ((x | 0) !== x) this.bad(tag, x);
    this.head(tag);
    if (x >= 0) this.put(x); else this.put64(x >>> 0, 0xffffffff);
  }
  uint32(tag: number, x: number): void {
    if (x >>> 0 !== x) this.bad(tag, x);
    this.head(tag);
    this.put(x);
  }
  sint32(tag: number, x: number): void {
    if ((x | 0) !== x) this.bad(tag, x);
    this.head(tag);
    this.put((x << 1 ^ x >> 31) >>> 0);
  }
  fixed32(tag: number, x: number): void {
    if (x >>> 0 !== x) this.bad(tag, x);
    this.head(tag);
    this.four(x);
  }
  sfixed32(tag: number, x: number): void {
    if ((x | 0) !== x) this.bad(tag, x);
    this.head(tag);
    this.four(x);
  }

  private four(x: number): void {
    const b = this.b, p = this.p;
    b[p] = x; b[p + 1] = x >> 8; b[p + 2] = x >> 16; b[p + 3] = x >> 24;
    this.p = p + 4;
  }

  /** Puts the halves of an integer into scratch; big-endian, so that 0 is the upper one. */
  private split(tag: number, x: Int64, unsigned: boolean): void {
    let v: bigint;
    if (typeof x === "bigint") v = x;
    else if (typeof x === "string" ? /^-?\d+$/.test(x) : Number.isSafeInteger(x)) v = BigInt(x);
    else this.bad(tag, x);
    if (unsigned) {
      scratch.setBigUint64(0, v);
      if (scratch.getBigUint64(0) !== v) this.bad(tag, x);
    } else {
      scratch.setBigInt64(0, v);
      if (scratch.getBigInt64(0) !== v) this.bad(tag, x);
    }
  }

  int64(tag: number, x: Int64): void {
    this.split(tag, x, false);
    this.head(tag);
    this.put64(scratch.getUint32(4), scratch.getUint32(0));
  }
  uint64(tag: number, x: Int64): void {
    this.split(tag, x, true);
    this.head(tag);
    this.put64(scratch.getUint32(4), scratch.getUint32(0));
  }
  sint64(tag: number, x: Int64): void {
    this.split(tag, x, false);
    this.head(tag);
    const lo = scratch.getInt32(4), hi = scratch.getInt32(0), sign = hi >> 31;
    this.put64((lo << 1 ^ sign) >>> 0, ((hi << 1 | lo >>> 31) ^ sign) >>> 0);
  }
  fixed64(tag: number, x: Int64): void {
    this.split(tag, x, true);
    this.head(tag);
    this.four(scratch.getInt32(4));
    this.four(scratch.getInt32(0));
  }
  sfixed64(tag: number, x: Int64): void {
    this.split(tag, x, false);
    this.head(tag);
    this.four(scratch.getInt32(4));
    this.four(scratch.getInt32(0));
  }

  float(tag: number, x: number): void {
    if (typeof x !== "number") this.bad(tag, x);
    this.head(tag);
    scratch.setFloat32(0, x, true);
    this.b[this.p] = bytes8[0]!; this.b[this.p + 1] = bytes8[1]!;
    this.b[this.p + 2] = bytes8[2]!; this.b[this.p + 3] = bytes8[3]!;
    this.p += 4;
  }
  double(tag: number, x: number): void {
    if (typeof x !== "number") this.bad(tag, x);
    this.head(tag);
    scratch.setFloat64(0, x, true);
    const b = this.b, p = this.p;
    b[p] = bytes8[0]!; b[p + 1] = bytes8[1]!; b[p + 2] = bytes8[2]!; b[p + 3] = bytes8[3]!;
    b[p + 4] = bytes8[4]!; b[p + 5] = bytes8[5]!; b[p + 6] = bytes8[6]!; b[p + 7] = bytes8[7]!;
    this.p = p + 8;
  }

  /** Begins what has its length before it, and returns where it begins. */
  open(tag: number): number {
    this.down();
    this.head(tag);
    return ++this.p;
  }

  /** Ends it. */
  close(at: number): void {
    this.depth--;
    const n = this.p - at;
    if (n < 128) { this.b[at - 1] = n; return; }
    const more = n < 16384 ? 1 : n < 2097152 ? 2 : n < 268435456 ? 3 : 4;
    this.room(more);
    this.b.copyWithin(at + more, at, this.p);
    const end = this.p + more;
    this.p = at - 1;
    this.put(n);
    this.p = end;
  }

  /** Begins and ends a packed list: no message, so that it is not nested. */
  openList(tag: number): number { this.head(tag); this.depth++; return ++this.p; }

  /** Begins a group. */
  group(tag: number): void { this.down(); this.head(tag); }

  /** Ends it. */
  end(tag: number): void { this.depth--; this.head(tag); }

  private down(): void {
    if (++this.depth > MAX_DEPTH) { this.reset(); throw new GremlinError("nested too deep"); }
  }

  /** Writes a packed list by the method that writes one value. */
  packed<T>(tag: number, write: (this: Writer, tag: number, x: T) => void,
    list: readonly T[]): void {
    const at = this.openList(tag);
    for (let i = 0; i < list.length; i++) write.call(this, 0, list[i]!);
    this.close(at);
  }
}

/** One for all encode functions: they finish before another begins. */
let shared = new Writer(4096);
let busy = false;

/** Returns what a function writes, as a copy. */
export function encode<M>(append: (w: Writer, m: M) => void, m: M): Uint8Array {
  if (busy) { const w = new Writer(); append(w, m); return w.finish(); } // called by a getter of m
  busy = true;
  try {
    append(shared, m);
    return shared.finish();
  } finally {
    busy = false;
    // One large message does not keep its memory.
    if (shared.capacity > 1 << 20) shared = new Writer(4096); else shared.reset();
  }
}
