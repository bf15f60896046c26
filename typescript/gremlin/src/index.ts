/** What people use beside generated code. JSON is in the subpath /json. */
export { type Code, GremlinError } from "./error.js";
export { List } from "./read.js";
export { type EnumTable, type MessageType, nameOf, type Table, validate } from "./table.js";
export { type Int64, Writer } from "./writer.js";
export { clearExtension, type Extension, getExtension, hasExtension, setExtension } from "./extension.js";
export { appendDelimited, readDelimited } from "./delimited.js";
export { durationToMillis, timestampFromDate, timestampToDate } from "./time.js";
