// What generated decoders leave to the runtime.

import { GremlinError } from "./error.js";

/** Ends decoding; the caller of all finds out what is wrong, and where. */
export function bad(): never { throw new GremlinError("malformed"); }
export function deep(): never { throw new GremlinError("nested too deep"); }

/** Notes an unknown field from p to q. Those that touch are one range. */
export function note(u: number[] | undefined, p: number, q: number): number[] {
  if (u === undefined) return [p, q];
  if (u[u.length - 1] === p) u[u.length - 1] = q; else u.push(p, q);
  return u;
}

/**
 * Returns old with ranges of b behind it. What is added to a second time gets room to grow, so that
 * a message that comes in many pieces is not copied with each.
 */
export function keep(old: Uint8Array | undefined, b: Uint8Array, u: readonly number[]): Uint8Array {
  let n = 0;
  for (let i = 0; i < u.length; i += 2) n += u[i + 1]! - u[i]!;
  const out = grown(old, n);
  n = out.length - n;
  for (let i = 0; i < u.length; i += 2) {
    out.set(b.subarray(u[i], u[i + 1]), n);
    n += u[i + 1]! - u[i]!;
  }
  return out;
}

function grown(old: Uint8Array | undefined, n: number): Uint8Array {
  if (old === undefined) return new Uint8Array(n);
  const size = old.length + n;
  if (old.byteOffset + size <= old.buffer.byteLength) {
    return new Uint8Array(old.buffer, old.byteOffset, size);
  }
  const out = new Uint8Array(new ArrayBuffer(2 * size), 0, size);
  out.set(old);
  return out;
}

/**
 * Keeps a number that a closed enum does not have, at p to q of b, as an unknown field of m: all 64
 * bits of it, in as few bytes as they need. Unknown fields stay in their order, so those of u, which
 * came before, are kept first; what is left of u is returned.
 */
export function keepEnum(m: { $unknown?: Uint8Array | undefined }, u: readonly number[] | undefined,
  tag: number, b: Uint8Array, p: number, q: number): undefined {
  if (u !== undefined) m.$unknown = keep(m.$unknown, b, u);
  let x = 0n;
  for (let i = q - 1; i >= p; i--) x = x << 7n | BigInt(b[i]! & 127);
  const field: number[] = [];
  for (let v of [BigInt(tag), BigInt.asUintN(64, x)]) {
    for (; v > 127n; v >>= 7n) field.push(Number(v & 127n) | 128);
    field.push(Number(v));
  }
  const out = grown(m.$unknown, field.length);
  out.set(field, out.length - field.length);
  m.$unknown = out;
  return undefined;
}
