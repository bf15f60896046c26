// Messages of google.protobuf that have a form of their own in JSON.

import { GremlinError, within } from "./error.js";
import { type Tree } from "./jsonparse.js";
import { bad, type JsonReadOptions, members, read, show } from "./jsonread.js";
import { double, type JsonObject, type JsonValue, type JsonWriteOptions, set, write } from "./jsonwrite.js";
import { Flag, Kind, type MessageType, type Table } from "./table.js";
import { encode } from "./writer.js";

type Data = Readonly<Record<string, unknown>>;
type Write = (m: Data, o: JsonWriteOptions, depth: number) => JsonValue;
type ReadTree = (v: Tree, o: JsonReadOptions, depth: number) => Record<string, unknown>;

export const WRITERS: Map<string, Write> = /* @__PURE__ */ new Map();
export const READERS: Map<string, ReadTree> = /* @__PURE__ */ new Map();

const P = "google.protobuf.";
const wrappers: readonly (readonly [string, number])[] = [["DoubleValue", Kind.DOUBLE],
  ["FloatValue", Kind.FLOAT], ["Int64Value", Kind.INT64], ["UInt64Value", Kind.UINT64],
  ["Int32Value", Kind.INT32], ["UInt32Value", Kind.UINT32], ["BoolValue", Kind.BOOL],
  ["StringValue", Kind.STRING], ["BytesValue", Kind.BYTES]];

for (const [name, kind] of wrappers) {
  const utf8 = kind === Kind.STRING ? Flag.UTF8 : 0;
  const inner: Table = { name: "", rows: () => [[1, "value", kind, utf8]] };
  WRITERS.set(P + name, (m, o, depth) => {
    const out = write(inner, m, { ...o, defaults: true }, depth) as JsonObject;
    return out["value"]!;
  });
  READERS.set(P + name, (v, o, depth) => read(inner, new Map([["value", v]]), o, depth));
}

// Seconds and nanoseconds.
const MIN_TIME = -62135596800, MAX_TIME = 253402300799, MAX_DURATION = 315576000000;

function fraction(nanos: number): string {
  if (nanos === 0) return "";
  const s = String(Math.abs(nanos)).padStart(9, "0");
  return "." + (s.endsWith("000000") ? s.slice(0, 3) : s.endsWith("000") ? s.slice(0, 6) : s);
}

WRITERS.set(P + "Timestamp", (m) => {
  const seconds = Number(m["seconds"] ?? 0), nanos = Number(m["nanos"] ?? 0);
  if (seconds < MIN_TIME || seconds > MAX_TIME || nanos < 0 || nanos > 999999999) {
    bad("no time from the year 1 to 9999");
  }
  return new Date(seconds * 1000).toISOString().slice(0, 19) + fraction(nanos) + "Z";
});

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

READERS.set(P + "Timestamp", (v) => {
  const found = typeof v === "string" ? TIME.exec(v) : null;
  if (found === null) bad("a time as in RFC 3339 is wanted, not " + show(v));
  const [, base, part = "", sign, hours, minutes] = found!;
  const ms = Date.parse(base + "Z");
  // A day that the month does not have becomes one of the next.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== base) bad("no such time: " + show(v));
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) bad("no such zone: " + show(v));
  const zone = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -60 : 60);
  const seconds = ms / 1000 - zone;
  if (seconds < MIN_TIME || seconds > MAX_TIME) bad("no time from the year 1 to 9999");
  return { seconds: BigInt(seconds), nanos: Number(part.padEnd(9, "0")), $unknown: undefined };
});

WRITERS.set(P + "Duration", (m) => {
  const seconds = Number(m["seconds"] ?? 0), nanos = Number(m["nanos"] ?? 0);
  if (Math.abs(seconds) > MAX_DURATION || Math.abs(nanos) > 999999999 ||
    seconds !== 0 && nanos !== 0 && seconds < 0 !== nanos < 0) bad("no duration");
  return (seconds < 0 || nanos < 0 ? "-" : "") + Math.abs(seconds) + fraction(nanos) + "s";
});

READERS.set(P + "Duration", (v) => {
  const found = typeof v === "string" ? /^(-?)(\d+)(?:\.(\d{1,9}))?s$/.exec(v) : null;
  if (found === null) bad("a duration such as 1.5s is wanted, not " + show(v));
  const [, sign, whole, part = ""] = found!, seconds = Number(whole);
  const nanos = Number(part.padEnd(9, "0"));
  if (seconds > MAX_DURATION) bad(show(v) + " is too long");
  const s = sign === "-" ? -1 : 1;
  return { seconds: BigInt(s * seconds), nanos: s * nanos + 0, $unknown: undefined };
});

const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

WRITERS.set(P + "FieldMask", (m) => (m["paths"] as string[]).map((path) => {
  if (!PATH.test(path) || /_(?![a-z])|[A-Z]/.test(path)) bad(show(path) + " has no form in JSON");
  return path.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase());
}).join(","));

READERS.set(P + "FieldMask", (v) => {
  if (typeof v !== "string") bad("a string is wanted, not " + show(v));
  const paths = v === "" ? [] : (v as string).split(",").map((path) => {
    if (!PATH.test(path) || path.includes("_")) bad(show(path) + " is no path");
    return path.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase());
  });
  return { paths, $unknown: undefined };
});

WRITERS.set(P + "Struct", (m, o, depth) => {
  const out: JsonObject = {};
  for (const [k, v] of m["fields"] as Map<string, Data>) set(out, k, value(v, o, depth + 1));
  return out;
});
WRITERS.set(P + "ListValue", (m, o, depth) =>
  (m["values"] as Data[]).map((v) => value(v, o, depth + 1)));
WRITERS.set(P + "Value", (m, o, depth) => value(m, o, depth));

function value(m: Data, o: JsonWriteOptions, depth: number): JsonValue {
  if (depth > 100) throw new GremlinError("nested too deep");
  const kind = m["kind"] as { case: string; value: unknown } | undefined;
  switch (kind?.case) {
    case "nullValue": return null;
    case "numberValue": {
      const n = double(kind.value as number);
      if (typeof n === "string" && n !== "-0") bad(n + " has no form in JSON");
      return n === "-0" ? -0 : n;
    }
    case "structValue": return WRITERS.get(P + "Struct")!(kind.value as Data, o, depth);
    case "listValue": return WRITERS.get(P + "ListValue")!(kind.value as Data, o, depth);
    case undefined: bad("a Value without a value has no form in JSON");
  }
  return kind!.value as JsonValue;
}

function struct(v: Tree, depth: number): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [k, x] of members(v)) fields.set(k, tree(x, depth + 1));
  return { fields, $unknown: undefined };
}

function listValue(v: Tree, depth: number): Record<string, unknown> {
  if (!Array.isArray(v)) bad("an array is wanted, not " + show(v));
  return { values: (v as readonly Tree[]).map((x) => tree(x, depth + 1)), $unknown: undefined };
}

function tree(v: Tree, depth: number): Record<string, unknown> {
  if (depth > 100) throw new GremlinError("nested too deep");
  const kind = (name: string, value: unknown): Record<string, unknown> =>
    ({ kind: { case: name, value }, $unknown: undefined });
  if (v === null) return kind("nullValue", 0);
  switch (typeof v) {
    case "boolean": return kind("boolValue", v);
    case "string": return kind("stringValue", v);
    case "number": case "bigint": return kind("numberValue", Number(v));
  }
  return Array.isArray(v) ? kind("listValue", listValue(v, depth)) : kind("structValue", struct(v, depth));
}
READERS.set(P + "Struct", (v, _, depth) => struct(v, depth));
READERS.set(P + "ListValue", (v, _, depth) => listValue(v, depth));
READERS.set(P + "Value", (v, _, depth) => tree(v, depth));

// Any holds a message of a type that the options know.
function typeOf(url: string, o: JsonReadOptions | JsonWriteOptions): MessageType {
  const name = url.slice(url.lastIndexOf("/") + 1);
  const type = (o.types as readonly MessageType[] | undefined)?.find((t) => t.table.name === name);
  if (type === undefined || name === url) {
    throw new GremlinError("unknown name", "", "", -1, "no type " + show(url) + " among options.types");
  }
  return type;
}

WRITERS.set(P + "Any", (m, o, depth) => {
  const url = m["typeUrl"] as string, b = m["value"] as Uint8Array;
  if (url === "" && b.length === 0) return {};
  const type = typeOf(url, o), out: JsonObject = { "@type": url };
  const v = write(type.table, type.decode(b) as Data, o, depth + 1);
  if (WRITERS.has(type.table.name)) out["value"] = v;
  else for (const [k, x] of Object.entries(v as JsonObject)) set(out, k, x);
  return out;
});

READERS.set(P + "Any", (v, o, depth) => {
  const all = new Map(members(v)), url = all.get("@type");
  if (all.size === 0) return { typeUrl: "", value: new Uint8Array(0), $unknown: undefined };
  if (typeof url !== "string") bad("an Any needs its @type");
  const type = typeOf(url as string, o);
  all.delete("@type");
  let inner: Tree = all;
  if (READERS.has(type.table.name)) {
    if (!all.has("value")) bad("an Any of this type needs its value");
    if (all.size > 1 && !o.ignoreUnknown) bad("an Any of this type has nothing but its value");
    inner = all.get("value")!;
  }
  try {
    const m = read(type.table, inner, o, depth + 1);
    return { typeUrl: url, value: encode(type.append, m as object), $unknown: undefined };
  } catch (x) {
    throw within(x, "value");
  }
});

