/** JSON of Messages, as protobuf defines it. */

import { GremlinError } from "./error.js";
import { parse, type Tree } from "./jsonparse.js";
import { type JsonReadOptions, read } from "./jsonread.js";
import { type JsonValue, type JsonWriteOptions, write } from "./jsonwrite.js";
import { type MessageType, required, type Table } from "./table.js";

export type { JsonReadOptions } from "./jsonread.js";
export type { JsonObject, JsonValue, JsonWriteOptions } from "./jsonwrite.js";

function named<T>(t: Table, run: () => T): T {
  try {
    return run();
  } catch (x) {
    if (x instanceof GremlinError) x.messageName = t.name;
    throw x;
  }
}

/** Returns a Message as a value that JSON.stringify writes. */
export function toJson<M>(type: MessageType<M>, m: M, options: JsonWriteOptions = {}): JsonValue {
  return named(type.table, () =>
    write(type.table, m as Readonly<Record<string, unknown>>, options, 0));
}

/** Returns a Message as JSON text. */
export function toJsonString<M>(type: MessageType<M>, m: M, options: JsonWriteOptions = {}): string {
  return JSON.stringify(toJson(type, m, options));
}

/**
 * Returns the Message of a JSON text, or of a value that JSON.parse gave. The text is better: it has
 * integers beyond 2^53 and tells names that come twice.
 */
export function fromJson<M>(type: MessageType<M>, json: string | JsonValue,
  options: JsonReadOptions = {}): M {
  return named(type.table, () => {
    const tree = typeof json === "string" ? parse(json) : json as Tree;
    const m = read(type.table, tree, options, 0);
    if (type.table.required) required(type.table, m);
    return m as M;
  });
}
