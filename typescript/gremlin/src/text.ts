// Strings: short ones in JavaScript, 16 characters a call, long ones by what the platform has.

import { GremlinError } from "./error.js";
import { E, start } from "./wire.js";

const fcc = String.fromCharCode;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
type Slice = (this: Uint8Array, from: number, to: number) => string;
const utf8Slice = (globalThis as { Buffer?: { prototype: { utf8Slice?: Slice } } })
  .Buffer?.prototype.utf8Slice;
const short = utf8Slice === undefined ? 64 : 20;

/** Returns the text of n bytes if they are ASCII. */
function ascii(b: Uint8Array, p: number, n: number): string | undefined {
  const end = p + n;
  let s = "";
  for (; p + 16 <= end; p += 16) {
    const a = b[p]!, c = b[p + 1]!, d = b[p + 2]!, f = b[p + 3]!, g = b[p + 4]!, h = b[p + 5]!,
      i = b[p + 6]!, j = b[p + 7]!, k = b[p + 8]!, l = b[p + 9]!, m = b[p + 10]!, o = b[p + 11]!,
      q = b[p + 12]!, r = b[p + 13]!, t = b[p + 14]!, u = b[p + 15]!;
    if ((a | c | d | f | g | h | i | j | k | l | m | o | q | r | t | u) > 127) return undefined;
    s += fcc(a, c, d, f, g, h, i, j, k, l, m, o, q, r, t, u);
  }
  if (p + 8 <= end) {
    const a = b[p]!, c = b[p + 1]!, d = b[p + 2]!, f = b[p + 3]!, g = b[p + 4]!, h = b[p + 5]!,
      i = b[p + 6]!, j = b[p + 7]!;
    if ((a | c | d | f | g | h | i | j) > 127) return undefined;
    s += fcc(a, c, d, f, g, h, i, j);
    p += 8;
  }
  if (p + 4 <= end) {
    const a = b[p]!, c = b[p + 1]!, d = b[p + 2]!, f = b[p + 3]!;
    if ((a | c | d | f) > 127) return undefined;
    s += fcc(a, c, d, f);
    p += 4;
  }
  switch (end - p) {
    case 1: { const a = b[p]!; return a > 127 ? undefined : s + fcc(a); }
    case 2: { const a = b[p]!, c = b[p + 1]!; return (a | c) > 127 ? undefined : s + fcc(a, c); }
    case 3: {
      const a = b[p]!, c = b[p + 1]!, d = b[p + 2]!;
      return (a | c | d) > 127 ? undefined : s + fcc(a, c, d);
    }
  }
  return s;
}

function other(b: Uint8Array, p: number, end: number, decoder: TextDecoder): string {
  if (utf8Slice !== undefined) {
    try {
      const s = utf8Slice.call(b, p, end);
      if (!s.includes("\ufffd")) return s;
    } catch { /* the buffer has been detached, or so: what comes next says so */ }
  }
  // A copy, because browsers refuse memory that is shared.
  const shared = b.buffer.constructor.name !== "ArrayBuffer";
  try {
    return decoder.decode(shared ? new Uint8Array(b.subarray(p, end)) : b.subarray(p, end));
  } catch {
    throw new GremlinError("invalid UTF-8", "", "", p);
  }
}

/** Returns the string whose length is at p; it must be UTF-8. */
export function str(b: Uint8Array, p: number): string {
  p = start(b, p);
  const n = E - p;
  if (n === 0) return "";
  if (n < short) { const s = ascii(b, p, n); if (s !== undefined) return s; }
  return other(b, p, p + n, strict);
}

let lenient: TextDecoder | undefined;

/** Returns the string whose length is at p; U+FFFD stands for what is not UTF-8. */
export function lax(b: Uint8Array, p: number): string {
  p = start(b, p);
  lenient ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return other(b, p, E, lenient);
}
