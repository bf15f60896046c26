// Varints, tags and values. Functions that read set E to where they ended; what cannot be read ends
// at FAR, which is behind the end of every message, so that each level checks once, at its end.

import { GremlinError } from "./error.js";

/** Where the last value that was read ended. */
export let E = 0;
/** The lower and upper half of the last varint. */
export let LO = 0;
export let HI = 0;

/** Behind the end of every message. */
export const FAR = 0x3fffffff;
/** The same for what is nested too deep. */
export const DEEP = 0x3ffffffe;
/** How deep messages and groups may be nested. */
export const MAX_DEPTH = 100;

/** Checks the size of an input. */
export function whole(b: Uint8Array): number {
  if (!(b.length < DEEP)) throw new GremlinError("too large");
  return b.length;
}

/** Reads a varint into LO and HI. */
export function varint(b: Uint8Array, p: number): void {
  let x = b[p++]!, lo = x & 0x7f, hi = 0;
  if (x > 127) { x = b[p++]!; lo |= (x & 0x7f) << 7;
  if (x > 127) { x = b[p++]!; lo |= (x & 0x7f) << 14;
  if (x > 127) { x = b[p++]!; lo |= (x & 0x7f) << 21;
  if (x > 127) { x = b[p++]!; lo |= (x & 0x0f) << 28; hi = (x & 0x7f) >> 4;
  if (x > 127) { x = b[p++]!; hi |= (x & 0x7f) << 3;
  if (x > 127) { x = b[p++]!; hi |= (x & 0x7f) << 10;
  if (x > 127) { x = b[p++]!; hi |= (x & 0x7f) << 17;
  if (x > 127) { x = b[p++]!; hi |= (x & 0x7f) << 24;
  if (x > 127) { x = b[p++]!; hi |= (x & 0x01) << 31; if (x > 1) p = FAR; } } } } } } } } }
  LO = lo; HI = hi; E = p;
}

/** Returns where the varint at p ends. */
export function behindVarint(b: Uint8Array, p: number): number {
  const last = p + 9;
  for (; p < last;) if (b[p++]! < 128) return p;
  return b[p]! < 2 ? p + 1 : FAR;
}

/** Reads a length of more than one byte. */
export function long(b: Uint8Array, p: number): number {
  varint(b, p);
  if (HI !== 0 || LO < 0) { E = FAR; return 0; }
  return LO;
}

/** Reads a tag of more than one byte, as a signed number. */
export function longTag(b: Uint8Array, p: number): number {
  varint(b, p);
  if (HI !== 0) { E = FAR; return 0; }
  return LO;
}

/** Returns where the value with tag t at p ends. */
export function skip(b: Uint8Array, p: number, e: number, t: number, depth: number): number {
  if (t >>> 3 === 0) return FAR;
  switch (t & 7) {
    case 0: return behindVarint(b, p);
    case 1: return p + 8;
    case 2: { let l = b[p++]!; if (l > 127) { l = long(b, p - 1); p = E; } return p + l; }
    case 3: return behindGroup(b, p, e, t, depth);
    case 5: return p + 4;
  }
  return FAR;
}

/** Returns where the group with start tag t and content at p ends. */
export function behindGroup(b: Uint8Array, p: number, e: number, t: number, depth: number): number {
  if (depth <= 0) return DEEP;
  while (p < e) {
    const at = p;
    let u = b[p++]!; if (u > 127) { u = longTag(b, at); p = E; }
    if (u === t + 1) { E = at; return p; }
    p = skip(b, p, e, u, depth - 1);
  }
  return p === DEEP ? DEEP : FAR;
}

/** Returns the start of the value whose length is at p, and its end in E. */
export function start(b: Uint8Array, p: number): number {
  let l = b[p++]!; if (l > 127) { l = long(b, p - 1); p = E; }
  E = p + l;
  return p;
}

export function bool(b: Uint8Array, p: number): boolean { varint(b, p); return (LO | HI) !== 0; }
export function int32(b: Uint8Array, p: number): number {
  const x = b[p]!;
  if (x < 128) { E = p + 1; return x; }
  varint(b, p);
  return LO | 0;
}
export function uint32(b: Uint8Array, p: number): number { return int32(b, p) >>> 0; }
export function sint32(b: Uint8Array, p: number): number {
  const x = int32(b, p);
  return x >>> 1 ^ -(x & 1);
}

const scratch: DataView = new DataView(new ArrayBuffer(8));
const bytes8 = new Uint8Array(scratch.buffer);
const double1 = new Float64Array(scratch.buffer);
const float2 = new Float32Array(scratch.buffer);
const little = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function signed(): bigint {
  scratch.setInt32(0, HI); scratch.setInt32(4, LO);
  return scratch.getBigInt64(0);
}
function unsigned(): bigint {
  scratch.setInt32(0, HI); scratch.setInt32(4, LO);
  return scratch.getBigUint64(0);
}
function unzigzag(): void {
  const m = -(LO & 1);
  const lo = (LO >>> 1 | HI << 31) ^ m;
  HI = HI >>> 1 ^ m;
  LO = lo;
}
function eight(b: Uint8Array, p: number): void {
  LO = b[p]! | b[p + 1]! << 8 | b[p + 2]! << 16 | b[p + 3]! << 24;
  HI = b[p + 4]! | b[p + 5]! << 8 | b[p + 6]! << 16 | b[p + 7]! << 24;
  E = p + 8;
}
export function int64(b: Uint8Array, p: number): bigint { varint(b, p); return signed(); }
export function uint64(b: Uint8Array, p: number): bigint { varint(b, p); return unsigned(); }
export function sint64(b: Uint8Array, p: number): bigint { varint(b, p); unzigzag(); return signed(); }
export function sfixed64(b: Uint8Array, p: number): bigint { eight(b, p); return signed(); }
export function fixed64(b: Uint8Array, p: number): bigint { eight(b, p); return unsigned(); }

function safe(n: number): number {
  if (!Number.isSafeInteger(n)) {
    throw new GremlinError("bad value", "", "", -1, n + " is no number that JavaScript has exactly");
  }
  return n;
}
function signedNumber(): number { return safe((HI | 0) * 4294967296 + (LO >>> 0)); }
function unsignedNumber(): number { return safe((HI >>> 0) * 4294967296 + (LO >>> 0)); }
export function int64Number(b: Uint8Array, p: number): number { varint(b, p); return signedNumber(); }
export function uint64Number(b: Uint8Array, p: number): number { varint(b, p); return unsignedNumber(); }
export function sint64Number(b: Uint8Array, p: number): number { varint(b, p); unzigzag(); return signedNumber(); }
export function sfixed64Number(b: Uint8Array, p: number): number { eight(b, p); return signedNumber(); }
export function fixed64Number(b: Uint8Array, p: number): number { eight(b, p); return unsignedNumber(); }
export function int64String(b: Uint8Array, p: number): string { return String(int64(b, p)); }
export function uint64String(b: Uint8Array, p: number): string { return String(uint64(b, p)); }
export function sint64String(b: Uint8Array, p: number): string { return String(sint64(b, p)); }
export function sfixed64String(b: Uint8Array, p: number): string { return String(sfixed64(b, p)); }
export function fixed64String(b: Uint8Array, p: number): string { return String(fixed64(b, p)); }

export function sfixed32(b: Uint8Array, p: number): number {
  E = p + 4;
  return b[p]! | b[p + 1]! << 8 | b[p + 2]! << 16 | b[p + 3]! << 24;
}
export function fixed32(b: Uint8Array, p: number): number { return sfixed32(b, p) >>> 0; }
export function float(b: Uint8Array, p: number): number {
  if (!little) { scratch.setInt32(0, sfixed32(b, p)); return scratch.getFloat32(0); }
  E = p + 4;
  bytes8[0] = b[p]!; bytes8[1] = b[p + 1]!; bytes8[2] = b[p + 2]!; bytes8[3] = b[p + 3]!;
  return float2[0]!;
}
export function double(b: Uint8Array, p: number): number {
  if (!little) { eight(b, p); signed(); return scratch.getFloat64(0); }
  E = p + 8;
  bytes8[0] = b[p]!; bytes8[1] = b[p + 1]!; bytes8[2] = b[p + 2]!; bytes8[3] = b[p + 3]!;
  bytes8[4] = b[p + 4]!; bytes8[5] = b[p + 5]!; bytes8[6] = b[p + 6]!; bytes8[7] = b[p + 7]!;
  return double1[0]!;
}
/** Returns the bytes whose length is at p, as a view of the input. */
export function view(b: Uint8Array, p: number): Uint8Array { p = start(b, p); return b.subarray(p, E); }
/** Returns a copy of them. */
export function copy(b: Uint8Array, p: number): Uint8Array {
  p = start(b, p);
  return new Uint8Array(b.subarray(p, E)); // slice would give Node's Buffer for one
}
