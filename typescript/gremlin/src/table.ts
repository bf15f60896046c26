// What is known of a message at run time, for everything that need not be a straight line.

import { GremlinError, within } from "./error.js";
import { str } from "./text.js";
import { behindGroup, DEEP, E, longTag, MAX_DEPTH, skip, start, whole } from "./wire.js";
import type { Writer } from "./writer.js";

/** The kinds of fields, by number. */
export const Kind = {
  BOOL: 1, INT32: 2, SINT32: 3, UINT32: 4, INT64: 5, SINT64: 6, UINT64: 7, SFIXED32: 8,
  FIXED32: 9, FLOAT: 10, SFIXED64: 11, FIXED64: 12, DOUBLE: 13, STRING: 14, BYTES: 15, ENUM: 16,
  MESSAGE: 17,
} as const;

/** Facts of a field, which are added up. */
export const Flag = {
  REPEATED: 1, PRESENCE: 2, REQUIRED: 4, PACKED: 8, DELIMITED: 16, UTF8: 32, MAP: 64, KEY_UTF8: 128,
  NUMBER: 256, STRING: 512,
} as const;

/** A field: number, name, kind, flags, type, and what is not usual. For a map those of its value. */
export type Row = readonly [number: number, name: string, kind: number, flags: number,
  type?: (() => Table | EnumTable) | 0, more?: More];

/** What only some fields have. */
export interface More {
  readonly property?: string; // where it does not follow from the name
  readonly json?: string; // the same
  readonly key?: number; // kind of the keys of a map
  readonly oneof?: string; // property of the oneof that has the field
}

/** What is known of a message. */
export interface Table {
  readonly name: string;
  readonly rows: () => readonly Row[];
  readonly required?: boolean; // the message, or one that it may hold, has required fields
  readonly messageSet?: boolean;
}

/** What is known of an enum. */
export interface EnumTable {
  readonly name: string;
  readonly values: readonly (readonly [name: string, value: number])[];
  readonly closed?: boolean;
}

/** A message type: what functions for all messages are given. */
export interface MessageType<M = unknown> {
  readonly table: Table;
  readonly create: (init?: Partial<M>) => M;
  readonly decode: (b: Uint8Array) => M;
  readonly append: (w: Writer, m: Readonly<Partial<M>>) => void;
}

/** A field as loops over fields want it. */
export interface Field {
  readonly number: number;
  readonly name: string;
  readonly kind: number;
  readonly flags: number;
  readonly table: Table | undefined;
  readonly enum: EnumTable | undefined;
  readonly property: string;
  readonly json: string;
  readonly key: number; // of a map, else 0
  readonly oneof: string | undefined;
}

/** Returns the name that a proto name has in JSON. */
export function camel(name: string): string {
  return name.replace(/_+(.?)/g, (_, c: string) => c >= "a" && c <= "z" ? c.toUpperCase() : c);
}

const known: WeakMap<Table, readonly Field[]> = new WeakMap();

/** Returns the fields of a message in the order of their numbers. */
export function fieldsOf(t: Table): readonly Field[] {
  let fields = known.get(t);
  if (fields === undefined) {
    fields = t.rows().map(fieldOf);
    known.set(t, fields);
  }
  return fields;
}

function fieldOf([number, name, kind, flags, type, more]: Row): Field {
  const t = type ? type() : undefined;
  const json = more?.json ?? camel(name);
  return {
    number, name, kind, flags, json, key: more?.key ?? 0, oneof: more?.oneof,
    property: more?.property ?? camel(name),
    table: kind === Kind.MESSAGE ? t as Table : undefined,
    enum: kind === Kind.ENUM ? t as EnumTable : undefined,
  };
}

const numbers: WeakMap<Table, ReadonlyMap<number, Field>> = new WeakMap();

/** Returns the fields of a message by number. */
export function byNumber(t: Table): ReadonlyMap<number, Field> {
  let m = numbers.get(t);
  if (m === undefined) {
    m = new Map(fieldsOf(t).map((f) => [f.number, f]));
    numbers.set(t, m);
  }
  return m;
}

const ONE = [0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5, 1, 1, 1, 2, 2, 0, 2];

/** Returns how one value of a kind is encoded. */
export function wireType(kind: number, flags: number): number {
  return flags & Flag.DELIMITED ? 3 : ONE[kind]!;
}

/** Checks an encoding at all levels. The error is a GremlinError. */
export function validate<M>(type: MessageType<M>, b: Uint8Array): void {
  explain(type.table, b);
  if (type.table.required) type.decode(b);
}

/** Throws what is wrong with an encoding, and where. */
export function explain(t: Table, b: Uint8Array): void {
  try {
    level(t, b, 0, whole(b), MAX_DEPTH);
  } catch (x) {
    if (x instanceof GremlinError) x.messageName = t.name;
    throw x;
  }
}

function level(t: Table, b: Uint8Array, s: number, e: number, depth: number): void {
  if (depth < 0) throw new GremlinError("nested too deep", "", "", s);
  const fields = byNumber(t), counts: number[] = [];
  let p = s;
  while (p < e) {
    const at = p;
    let tag = b[p++]!; if (tag > 127) { tag = longTag(b, at); p = E; }
    const f = fields.get(tag >>> 3), wt = tag & 7;
    const q = skip(b, p, e, tag, depth);
    if (!(q <= e)) throw new GremlinError(q === DEEP ? "nested too deep" : "malformed", "", "", at);
    if (f !== undefined) {
      try {
        value(f, wt, b, p, q, depth);
      } catch (x) {
        throw within(x, f.flags & Flag.REPEATED ? `${f.name}[${counts[f.number] ?? 0}]` : f.name);
      }
      counts[f.number] = (counts[f.number] ?? 0) + 1;
    }
    p = q;
  }
}

/** Checks one value of a field. */
function value(f: Field, wt: number, b: Uint8Array, p: number, q: number, depth: number): void {
  if (f.flags & Flag.MAP) {
    if (wt === 2) level(entryTable(f), b, start(b, p), q, depth - 1);
  } else if (f.kind === Kind.MESSAGE) {
    if (wt !== wireType(f.kind, f.flags)) return;
    if (wt === 2) { level(f.table!, b, start(b, p), q, depth - 1); return; }
    behindGroup(b, p, q, f.number << 3 | 3, depth);
    level(f.table!, b, p, E, depth - 1);
  } else if (f.kind === Kind.STRING) {
    if (wt === 2 && f.flags & Flag.UTF8) str(b, p);
  } else if (wt === 2 && f.flags & Flag.REPEATED && f.kind !== Kind.BYTES) {
    p = start(b, p);
    const one = wireType(f.kind, 0) | 8;
    while (p < q) {
      p = skip(b, p, q, one, 0);
      if (!(p <= q)) throw new GremlinError("malformed", "", "", p > q ? q : p);
    }
  }
}

const entries: WeakMap<Field, Table> = new WeakMap();

/** Returns the table of the entries of a map field. */
export function entryTable(f: Field): Table {
  let t = entries.get(f);
  if (t === undefined) {
    const of = f.table ?? f.enum;
    t = { name: "", rows: () => [
      [1, "key", f.key, f.flags & Flag.KEY_UTF8 ? Flag.UTF8 : 0],
      [2, "value", f.kind, f.flags & Flag.UTF8, of ? () => of : 0],
    ] };
    entries.set(f, t);
  }
  return t;
}

type Data = Readonly<Record<string, unknown>>;

/** Returns the value that a Message has of a field; undefined where it is not set. */
export function get(m: Data, f: Field): unknown {
  if (f.oneof === undefined) return m[f.property];
  const one = m[f.oneof] as { case: string; value: unknown } | undefined;
  return one?.case === f.property ? one.value : undefined;
}

/** Throws if a required field of a Message, or of one in it, is not set. */
export function required(t: Table, m: unknown): void {
  try {
    requiredIn(t, m as Data);
  } catch (x) {
    if (x instanceof GremlinError) x.messageName = t.name;
    throw x;
  }
}

function requiredIn(t: Table, m: Data): void {
  for (const f of fieldsOf(t)) {
    const v = get(m, f);
    if (v === undefined) {
      if (f.flags & Flag.REQUIRED) throw new GremlinError("missing required", "", f.name);
    } else if (f.table?.required) {
      const all: Iterable<readonly [unknown, unknown]> = f.flags & Flag.MAP
        ? v as Map<unknown, unknown>
        : f.flags & Flag.REPEATED ? (v as unknown[]).entries() : [["", v]];
      for (const [i, sub] of all) {
        try {
          requiredIn(f.table, sub as Data);
        } catch (x) {
          throw within(x, i === "" && !(f.flags & Flag.MAP) ? f.name : `${f.name}[${String(i)}]`);
        }
      }
    }
  }
}

/** Returns the names of the values of an enum by number; of two names the first counts. */
export function nameOf(t: EnumTable, v: number): string | undefined {
  return t.values.find((x) => x[1] === v)?.[0];
}


