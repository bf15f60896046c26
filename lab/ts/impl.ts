// What main.ts asks of an implementation. Sums and values must be the same for all.

export interface Kind {
  /** Reads two fields from the bytes of a message and adds them up; for JSON from its text. */
  read2(b: never): number;
  /** Reads every field and adds up numbers and lengths. */
  readAll(b: never): number;
  /** Decodes everything, into what the implementation calls a message. */
  decode(b: never): unknown;
  /** Encodes what decode returned into memory of its own. */
  encode?(m: never): Uint8Array | string;
  /** Encodes into memory that is used again; returns how many bytes it took. */
  append?(m: never): number;
}

export interface Impl {
  name: string;
  /** It reads texts of JSON instead of bytes. */
  json?: boolean;
  Submit: Kind;
  Deposit: Kind;
}
