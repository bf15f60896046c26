// Random Messages and mutations of bytes, from a seed.

import { type MessageType } from "@octopus-framework/gremlin";
import { type Field, fieldsOf, Flag, Kind } from "@octopus-framework/gremlin/table";

export type Random = (n: number) => number;

/** Returns numbers below n, the same ones for each seed. */
export function random(seed: number): Random {
  let x = seed >>> 0 || 1;
  return (n) => {
    x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
    return (x >>> 0) % n;
  };
}

const TEXTS = ["", "a", "Grüße", "世界", "🐙", "x".repeat(63), "y".repeat(64), "z".repeat(200), "\ufeffbom", "\u0000"];
const SMALL = [0, 1, -1, 127, 128, -128, 300, 2147483647, -2147483648];
const LARGE = [0n, 1n, -1n, 127n, 128n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const REAL = [0, -0, 1.5, -1e300, 0.1, NaN, Infinity, 5e-324];

function scalar(kind: number, f: Field, r: Random): unknown {
  switch (kind) {
    case Kind.BOOL: return r(2) === 1;
    case Kind.STRING: return TEXTS[r(TEXTS.length)];
    case Kind.BYTES: return Uint8Array.from({ length: r(5) }, () => r(256));
    case Kind.FLOAT: return Math.fround(REAL[r(REAL.length)]!);
    case Kind.DOUBLE: return REAL[r(REAL.length)];
    case Kind.ENUM: return f.enum!.values[r(f.enum!.values.length)]![1];
    case Kind.UINT32: case Kind.FIXED32: return SMALL[r(SMALL.length)]! >>> 0;
    case Kind.UINT64: case Kind.FIXED64: return BigInt.asUintN(64, LARGE[r(LARGE.length)]!);
    case Kind.INT64: case Kind.SINT64: case Kind.SFIXED64: {
      const v = LARGE[r(LARGE.length)]!;
      return f.flags & Flag.STRING ? String(v) : f.flags & Flag.NUMBER ? Number(BigInt.asIntN(50, v)) : v;
    }
  }
  return SMALL[r(SMALL.length)];
}

/** Returns a Message with random fields. */
export function message(types: ReadonlyMap<string, MessageType>, type: MessageType, r: Random, depth: number): unknown {
  const m = type.create() as Record<string, unknown>;
  for (const f of fieldsOf(type.table)) {
    if (!(f.flags & Flag.REQUIRED) && r(8) !== 0) continue;
    if (f.kind === Kind.MESSAGE && (depth === 0 || !types.has(f.table!.name))) continue;
    const one = (): unknown => f.kind === Kind.MESSAGE
      ? message(types, types.get(f.table!.name)!, r, depth - 1) : scalar(f.kind, f, r);
    let v: unknown;
    if (f.flags & Flag.MAP) v = new Map([[scalar(f.key, { ...f, enum: undefined, flags: 0 }, r), one()]]);
    else if (f.flags & Flag.REPEATED) v = Array.from({ length: r(4) }, one);
    else v = one();
    if (f.oneof === undefined) m[f.property] = v; else m[f.oneof] = { case: f.property, value: v };
  }
  return m;
}

/** Changes an encoding: bits, bytes, pieces that are cut, doubled or joined with those of another. */
export function mutate(b: Uint8Array, other: Uint8Array, r: Random): Uint8Array {
  const out = [...b];
  for (let n = 1 + r(3); n > 0; n--) {
    const at = r(out.length + 1), size = r(12);
    switch (r(7)) {
      case 0: if (at < out.length) out[at] = out[at]! ^ 1 << r(8); break;
      case 1: if (at < out.length) out[at] = r(256); break;
      case 2: out.splice(at, size); break;
      case 3: out.splice(at, 0, ...out.slice(at, at + size)); break;
      case 4: out.splice(at, 0, ...other.slice(0, 1 + r(40))); break;
      case 5: out.length = at; break;
      case 6: out.splice(at, 0, r(256), r(256)); break;
    }
  }
  return Uint8Array.from(out.slice(0, 4000));
}
