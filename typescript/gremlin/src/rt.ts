/** What generated code calls. It is for generated code alone. */
export * from "./wire.js";
export { lax, str } from "./text.js";
export { entry, groupEnd, KEY, List, list, malformed, map, merged, VALUE } from "./read.js";
export { bad, deep, keep, keepEnum, note } from "./decode.js";
export { encode, notZero, Writer } from "./writer.js";
export { type EnumTable, explain, type MessageType, required, type Table } from "./table.js";
export { type Extension } from "./extension.js";
export { type StreamMethod, type UnaryMethod } from "./connect.js";
