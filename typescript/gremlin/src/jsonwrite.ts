// Messages to JSON values.

import { toBase64 } from "./base64.js";
import { GremlinError, within } from "./error.js";
import { type Extendable, type Extension, getExtension, hasExtension } from "./extension.js";
import { WRITERS } from "./jsonwkt.js";
import { type Field, fieldsOf, Flag, get, Kind, type MessageType, nameOf, type Table } from "./table.js";
import { MAX_DEPTH } from "./wire.js";

/** A value that JSON.stringify writes. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
/** An object of such values. */
export interface JsonObject { [name: string]: JsonValue }

/** What JSON may name beyond the schema, and how it is written. */
export interface JsonWriteOptions {
  /** Types that google.protobuf.Any may hold. */
  readonly types?: readonly MessageType<any>[];
  /** Extensions that are written. */
  readonly extensions?: readonly Extension<any, any>[];
  /** Write fields without presence that have no value, too. */
  readonly defaults?: boolean;
  /** Write the names that the .proto file has. */
  readonly protoNames?: boolean;
}

type Data = Readonly<Record<string, unknown>>;

/** Writes a message that lies some levels deep. */
export function write(t: Table, m: Data, o: JsonWriteOptions, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw new GremlinError("nested too deep");
  const special = WRITERS.get(t.name);
  if (special !== undefined) return special(m, o, depth);
  const out: JsonObject = {};
  for (const f of fieldsOf(t)) {
    const v = get(m, f);
    if (v === undefined || !(f.flags & Flag.PRESENCE) && !o.defaults && isZero(f, v)) continue;
    try {
      set(out, o.protoNames ? f.name : f.json, fieldOf(f, v, o, depth));
    } catch (x) {
      throw within(x, f.name);
    }
  }
  for (const x of (o.extensions ?? []) as readonly Extension<Extendable, unknown>[]) {
    if (x.extendee.name !== t.name || !hasExtension(m as Extendable, x)) continue;
    const f = fieldsOf(x.type.table)[0]!, v = getExtension(m as Extendable, x);
    if (v !== undefined && !(Array.isArray(v) && v.length === 0)) {
      set(out, `[${x.name}]`, fieldOf(f, v, o, depth));
    }
  }
  return out;
}

/** Sets a property, whatever it is called. */
export function set(out: JsonObject, name: string, v: JsonValue): void {
  if (name !== "__proto__") out[name] = v;
  else Object.defineProperty(out, name, { value: v, enumerable: true, configurable: true, writable: true });
}

function isZero(f: Field, v: unknown): boolean {
  if (f.flags & Flag.MAP) return (v as Map<unknown, unknown>).size === 0;
  if (f.flags & Flag.REPEATED || f.kind === Kind.BYTES) return (v as unknown[]).length === 0;
  if (f.kind === Kind.STRING) return v === "";
  if (typeof v === "string") return v === "0";
  return v === false || v === 0n || v === 0 && !Object.is(v, -0);
}

function fieldOf(f: Field, v: unknown, o: JsonWriteOptions, depth: number): JsonValue {
  if (f.flags & Flag.MAP) {
    const out: JsonObject = {};
    for (const [k, x] of v as Map<unknown, unknown>) set(out, String(k), one(f, x, o, depth));
    return out;
  }
  if (f.flags & Flag.REPEATED) return (v as unknown[]).map((x) => one(f, x, o, depth));
  return one(f, v, o, depth);
}

function one(f: Field, v: unknown, o: JsonWriteOptions, depth: number): JsonValue {
  switch (f.kind) {
    case Kind.MESSAGE: return write(f.table!, v as Data, o, depth + 1);
    case Kind.ENUM:
      return f.enum!.name === "google.protobuf.NullValue" ? null
        : nameOf(f.enum!, v as number) ?? v as number;
    case Kind.BYTES: return toBase64(v as Uint8Array);
    case Kind.FLOAT: return float(v as number);
    case Kind.DOUBLE: return double(v as number);
    case Kind.INT64: case Kind.UINT64: case Kind.SINT64: case Kind.FIXED64: case Kind.SFIXED64:
      return String(v);
    case Kind.STRING:
      if (/\p{Surrogate}/u.test(v as string)) throw new GremlinError("invalid UTF-8");
  }
  return v as JsonValue;
}

/** Returns a number, or the text for what is none in JSON. */
export function double(v: number): number | string {
  return Number.isFinite(v) ? Object.is(v, -0) ? "-0" : v : String(v);
}

/** The same for a float: the shortest number that is the same float. */
export function float(v: number): number | string {
  if (!Number.isFinite(v)) return String(v);
  const x = Math.fround(v);
  if (x === 0 || !Number.isFinite(x)) return double(x);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return double(short);
  }
  return double(x);
}
