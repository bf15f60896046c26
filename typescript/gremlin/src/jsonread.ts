// JSON values to Messages.

import { fromBase64 } from "./base64.js";
import { GremlinError, within } from "./error.js";
import { type Extendable, type Extension, setExtension } from "./extension.js";
import { type Tree } from "./jsonparse.js";
import { READERS } from "./jsonwkt.js";
import { type EnumTable, type Field, fieldsOf, Flag, Kind, type MessageType, type Table } from "./table.js";
import { MAX_DEPTH } from "./wire.js";

/** What JSON may name beyond the schema. */
export interface JsonReadOptions {
  /** Types that google.protobuf.Any may hold. */
  readonly types?: readonly MessageType<any>[];
  /** Extensions that are read. */
  readonly extensions?: readonly Extension<any, any>[];
  /** Pass over names that the schema does not have. */
  readonly ignoreUnknown?: boolean;
}

type Data = Record<string, unknown>;

/** Stands for an enum value of an unknown name. */
const UNKNOWN = Symbol("unknown");

export function bad(detail: string): never { throw new GremlinError("bad value", "", "", -1, detail); }

/** Says briefly what a value is. */
export function show(v: Tree): string {
  if (typeof v === "string") return JSON.stringify(v.length > 40 ? v.slice(0, 40) + "…" : v);
  if (v === null || typeof v !== "object") return String(v);
  return Array.isArray(v) ? "an array" : "an object";
}

/** Returns the names and values of an object. */
export function members(v: Tree): Iterable<readonly [string, Tree]> {
  if (v instanceof Map) return v as ReadonlyMap<string, Tree>;
  if (v === null || typeof v !== "object" || Array.isArray(v)) bad("an object is wanted, not " + show(v));
  return Object.entries(v as { readonly [name: string]: Tree });
}

const names: WeakMap<Table, ReadonlyMap<string, Field>> = new WeakMap();

function byName(t: Table): ReadonlyMap<string, Field> {
  let m = names.get(t);
  if (m === undefined) {
    const all = new Map<string, Field>();
    for (const f of fieldsOf(t)) all.set(f.name, f);
    for (const f of fieldsOf(t)) all.set(f.json, f);
    names.set(t, m = all);
  }
  return m;
}

/** Returns a Message with nothing set. */
export function blank(t: Table): Data {
  const m: Data = {};
  for (const f of fieldsOf(t)) {
    if (f.oneof !== undefined) m[f.oneof] = undefined;
    else m[f.property] = zero(f);
  }
  m["$unknown"] = undefined;
  return m;
}

function zero(f: Field): unknown {
  if (f.flags & Flag.MAP) return new Map();
  if (f.flags & Flag.REPEATED) return [];
  if (f.flags & Flag.PRESENCE) return undefined;
  switch (f.kind) {
    case Kind.BOOL: return false;
    case Kind.STRING: return "";
    case Kind.BYTES: return new Uint8Array(0);
    case Kind.ENUM: return f.enum!.values[0]![1];
    case Kind.INT64: case Kind.UINT64: case Kind.SINT64: case Kind.FIXED64: case Kind.SFIXED64:
      return f.flags & Flag.NUMBER ? 0 : f.flags & Flag.STRING ? "0" : 0n;
  }
  return 0;
}

/** Reads a message that lies some levels deep. */
export function read(t: Table, v: Tree, o: JsonReadOptions, depth: number): Data {
  if (depth > MAX_DEPTH) throw new GremlinError("nested too deep");
  const special = READERS.get(t.name);
  if (special !== undefined) return special(v, o, depth);
  const m = blank(t), fields = byName(t), seen = new Set<Field>();
  for (const [name, x] of members(v)) {
    const f = fields.get(name);
    if (f === undefined) {
      if (name.startsWith("[") && extension(t, m, name, x, o, depth) || o.ignoreUnknown) continue;
      throw new GremlinError("unknown name", "", "", -1, `${t.name} has no field ${show(name)}`);
    }
    if (seen.has(f)) throw new GremlinError("duplicate", "", f.name);
    seen.add(f);
    if (x === null && !holdsNull(f)) continue;
    try {
      const value = fieldOf(f, x, o, depth);
      if (value === UNKNOWN) continue;
      if (f.oneof === undefined) m[f.property] = value;
      else if (m[f.oneof] === undefined) m[f.oneof] = { case: f.property, value };
      else throw new GremlinError("duplicate", "", "", -1, "another field of the oneof is set");
    } catch (e) {
      throw within(e, f.name);
    }
  }
  return m;
}

function extension(t: Table, m: Data, name: string, v: Tree, o: JsonReadOptions, depth: number): boolean {
  const all = (o.extensions ?? []) as readonly Extension<Extendable, unknown>[];
  const x = all.find((x) => x.extendee.name === t.name && `[${x.name}]` === name);
  if (x === undefined) return false;
  const f = fieldsOf(x.type.table)[0]!;
  if (v === null && !holdsNull(f)) return true;
  const value = fieldOf(f, v, o, depth);
  if (value !== UNKNOWN) setExtension(m as Extendable, x, value);
  return true;
}

/** Tells whether null is a value of a singular field. */
function holdsNull(f: Field): boolean {
  return !(f.flags & (Flag.REPEATED | Flag.MAP)) &&
    (f.table?.name === "google.protobuf.Value" || f.enum?.name === "google.protobuf.NullValue");
}

function fieldOf(f: Field, v: Tree, o: JsonReadOptions, depth: number): unknown {
  if (f.flags & Flag.MAP) {
    const out = new Map<unknown, unknown>();
    for (const [k, x] of members(v)) {
      const key = keyOf(f, k);
      if (out.has(key)) throw new GremlinError("duplicate", "", "", -1, "key " + show(k));
      const value = one(f, x, o, depth);
      if (value !== UNKNOWN) out.set(key, value);
    }
    return out;
  }
  if (!(f.flags & Flag.REPEATED)) return one(f, v, o, depth);
  if (!Array.isArray(v)) bad("an array is wanted, not " + show(v));
  const out: unknown[] = [];
  for (const [i, x] of (v as readonly Tree[]).entries()) {
    try {
      const value = one(f, x, o, depth);
      if (value !== UNKNOWN) out.push(value);
    } catch (e) {
      throw within(e, `[${i}]`);
    }
  }
  return out;
}

function keyOf(f: Field, k: string): unknown {
  switch (f.key) {
    case Kind.STRING: return k;
    case Kind.BOOL:
      if (k !== "true" && k !== "false") bad("a key is true or false, not " + show(k));
      return k === "true";
  }
  return scalar(f.key, f.flags, k, undefined);
}

function one(f: Field, v: Tree, o: JsonReadOptions, depth: number): unknown {
  if (f.kind === Kind.MESSAGE) {
    if (v === null && f.table!.name !== "google.protobuf.Value") bad("null is no message");
    return read(f.table!, v, o, depth + 1);
  }
  if (f.kind === Kind.ENUM) return enumOf(f.enum!, v, o);
  return scalar(f.kind, f.flags, v, f);
}

function enumOf(t: EnumTable, v: Tree, o: JsonReadOptions): unknown {
  if (v === null && t.name === "google.protobuf.NullValue") return 0;
  if (typeof v === "string") {
    const found = t.values.find((x) => x[0] === v);
    if (found !== undefined) return found[1];
    if (o.ignoreUnknown) return UNKNOWN;
    throw new GremlinError("unknown name", "", "", -1, `${t.name} has no value ${show(v)}`);
  }
  const n = integer(v);
  if (typeof n !== "number" || (n | 0) !== n) bad("a number is wanted, not " + show(v));
  if (t.closed && !t.values.some((x) => x[1] === n)) {
    if (o.ignoreUnknown) return UNKNOWN;
    bad(`${t.name} has no value ${n}`);
  }
  return n;
}

/** Returns an integer as number or bigint, undefined if it is none. */
function integer(v: Tree): number | bigint | undefined {
  if (typeof v === "string") {
    if (/^-?\d+$/.test(v)) {
      if (v.length > 40) return undefined;
      const n = Number(v);
      return Number.isSafeInteger(n) ? n + 0 : BigInt(v);
    }
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(v)) return undefined;
    v = Number(v);
  }
  if (typeof v === "bigint") return v;
  if (typeof v !== "number" || !Number.isInteger(v)) return undefined;
  return Number.isSafeInteger(v) ? v + 0 : BigInt(v);
}

function scalar(kind: number, flags: number, v: Tree, f: Field | undefined): unknown {
  switch (kind) {
    case Kind.BOOL:
      if (typeof v !== "boolean") bad("true or false is wanted, not " + show(v));
      return v;
    case Kind.STRING:
      if (typeof v !== "string") bad("a string is wanted, not " + show(v));
      if (f !== undefined && /\p{Surrogate}/u.test(v as string)) throw new GremlinError("invalid UTF-8");
      return v;
    case Kind.BYTES: {
      const b = typeof v === "string" ? fromBase64(v) : undefined;
      if (b === undefined) bad("base64 is wanted, not " + show(v));
      return b;
    }
    case Kind.FLOAT: case Kind.DOUBLE: return real(kind, v);
  }
  let n = integer(v);
  if (n === undefined) bad("an integer is wanted, not " + show(v));
  n = n as number | bigint;
  switch (kind) {
    case Kind.INT32: case Kind.SINT32: case Kind.SFIXED32:
      if (n !== Number(n) || (n | 0) !== n) bad(show(v) + " does not fit into 32 bits");
      return n | 0;
    case Kind.UINT32: case Kind.FIXED32:
      if (n !== Number(n) || n >>> 0 !== n) bad(show(v) + " does not fit into 32 bits without a sign");
      return n >>> 0;
  }
  const big = BigInt(n), unsigned = kind === Kind.UINT64 || kind === Kind.FIXED64;
  if ((unsigned ? BigInt.asUintN(64, big) : BigInt.asIntN(64, big)) !== big) {
    bad(show(v) + " does not fit into 64 bits");
  }
  if (f !== undefined && flags & Flag.STRING) return String(big);
  if (f !== undefined && flags & Flag.NUMBER) {
    if (typeof n !== "number") bad(show(v) + " is no number that JavaScript has exactly");
    return n;
  }
  return big;
}

function real(kind: number, v: Tree): number {
  let n: number;
  if (v === "NaN" || v === "Infinity" || v === "-Infinity") return Number(v);
  if (typeof v === "string" && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(v)) n = Number(v);
  else if (typeof v === "number" || typeof v === "bigint") n = Number(v);
  else bad("a number is wanted, not " + show(v));
  if (!Number.isFinite(n)) bad(show(v) + " is too large");
  if (kind === Kind.DOUBLE) return n;
  const x = Math.fround(n);
  if (!Number.isFinite(x)) bad(show(v) + " is too large for a float");
  return x;
}
