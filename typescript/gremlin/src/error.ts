/** What was wrong with an input. */
export type Code =
  | "malformed" // no protobuf message: cut off, a bad tag, a length beyond the end
  | "invalid UTF-8" // a string that must be UTF-8 is not
  | "nested too deep" // more than 100 levels
  | "too large" // 1 GiB or more
  | "missing required" // a required field is not set
  | "bad syntax" // the text is no JSON
  | "unknown name" // the text names a field, a value or a type that there is not
  | "duplicate" // the text sets a field twice
  | "bad value"; // a value that the field cannot hold

/** GremlinError says what is wrong with an input or a Message, and where. */
export class GremlinError extends Error {
  override readonly name = "GremlinError";
  readonly code: Code;
  /** Full name of the outermost message; empty where it is not known. */
  messageName: string;
  /** The field in it, as the .proto names it: `items[3].sku`; empty for the message itself. */
  path: string;
  /** In bytes, or of JSON in UTF-16 units, from the start of the input; -1 where there is none. */
  offset: number;
  /** What the code is about; may be empty. */
  readonly detail: string;

  constructor(code: Code, messageName = "", path = "", offset = -1, detail = "") {
    super();
    this.code = code;
    this.messageName = messageName;
    this.path = path;
    this.offset = offset;
    this.detail = detail;
    // Worded when it is asked for: path and name are completed on the way out.
    Object.defineProperty(this, "message", { get: () => words(this), configurable: true });
  }
}

function words(e: GremlinError): string {
  let s = "";
  if (e.messageName !== "") s = e.messageName + ": ";
  if (e.path !== "") s += e.path + ": ";
  s += e.code;
  if (e.detail !== "") s += ": " + e.detail;
  return e.offset < 0 ? s : s + " at offset " + e.offset;
}

/** Puts a field before the path of an error that comes from inside of it. */
export function within(x: unknown, field: string): unknown {
  if (x instanceof GremlinError) {
    x.path = x.path === "" || x.path.startsWith("[") ? field + x.path : field + "." + x.path;
  }
  return x;
}
