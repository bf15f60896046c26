// JSON text to values. JSON.parse would round numbers of 64 bits and hide names that come twice.

import { GremlinError } from "./error.js";
import { MAX_DEPTH } from "./wire.js";

/** What JSON is made of. Objects that come from text are Maps, integers beyond 2^53 bigints. */
export type Tree = null | boolean | number | bigint | string | readonly Tree[]
  | ReadonlyMap<string, Tree> | { readonly [name: string]: Tree };

/** A number that no number of JavaScript is. */
const INTEGER = /^-?\d{16,40}$/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN = /[^"\\\x00-\x1f]*/y;
const SPACE = /[ \t\r\n]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  "\"": "\"", "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};

/** Parses a text. */
export function parse(text: string): Tree {
  const p = new Parser(text);
  const v = p.value(0);
  p.space();
  if (p.at !== text.length) p.fail("text behind the value");
  return v;
}

class Parser {
  at = 0;
  declare private readonly text: string;

  constructor(text: string) { this.text = text; }

  fail(what: string): never { throw new GremlinError("bad syntax", "", "", this.at, what); }

  private match(r: RegExp): string {
    r.lastIndex = this.at;
    const found = r.exec(this.text);
    const s = found === null ? "" : found[0];
    this.at += s.length;
    return s;
  }

  space(): void {
    const c = this.text.charCodeAt(this.at);
    if (c <= 32) this.match(SPACE);
  }

  value(depth: number): Tree {
    if (depth > MAX_DEPTH) throw new GremlinError("nested too deep", "", "", this.at);
    this.space();
    switch (this.text[this.at]) {
      case "{": return this.object(depth);
      case "[": return this.array(depth);
      case "\"": return this.string();
      case "t": return this.word("true", true);
      case "f": return this.word("false", false);
      case "n": return this.word("null", null);
    }
    const s = this.match(NUMBER);
    if (s === "") this.fail(this.at < this.text.length ? "no value" : "the text ends");
    if (INTEGER.test(s)) {
      const n = BigInt(s);
      return Number.isSafeInteger(Number(n)) ? Number(n) : n;
    }
    const n = Number(s);
    if (!Number.isFinite(n)) {
      throw new GremlinError("bad value", "", "", this.at - s.length, "a number is too large");
    }
    return n;
  }

  private word<T>(w: string, v: T): T {
    if (!this.text.startsWith(w, this.at)) this.fail("no value");
    this.at += w.length;
    return v;
  }

  private object(depth: number): Tree {
    const out = new Map<string, Tree>();
    this.at++;
    this.space();
    if (this.text[this.at] === "}") { this.at++; return out; }
    for (;;) {
      this.space();
      if (this.text[this.at] !== "\"") this.fail("a name is wanted");
      const at = this.at, name = this.string();
      if (out.has(name)) {
        throw new GremlinError("duplicate", "", "", at, JSON.stringify(name) + " is there twice");
      }
      this.space();
      if (this.text[this.at] !== ":") this.fail("a colon is wanted");
      this.at++;
      out.set(name, this.value(depth + 1));
      this.space();
      const c = this.text[this.at++];
      if (c === "}") return out;
      if (c !== ",") { this.at--; this.fail("a comma or brace is wanted"); }
    }
  }

  private array(depth: number): Tree {
    const out: Tree[] = [];
    this.at++;
    this.space();
    if (this.text[this.at] === "]") { this.at++; return out; }
    for (;;) {
      out.push(this.value(depth + 1));
      this.space();
      const c = this.text[this.at++];
      if (c === "]") return out;
      if (c !== ",") { this.at--; this.fail("a comma or bracket is wanted"); }
    }
  }

  private string(): string {
    const from = this.at++;
    let s = "";
    for (;;) {
      s += this.match(PLAIN);
      const c = this.text[this.at++];
      if (c === "\"") break;
      if (c !== "\\") { this.at--; this.fail("a string does not end, or has a control character"); }
      const e = this.text[this.at++] ?? "";
      if (e === "u") {
        const hex = this.text.slice(this.at, this.at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail("four hex digits are wanted");
        this.at += 4;
        s += String.fromCharCode(parseInt(hex, 16));
      } else {
        const x = Object.hasOwn(ESCAPES, e) ? ESCAPES[e] : undefined;
        if (x === undefined) this.fail("no such escape");
        s += x;
      }
    }
    if (/\p{Surrogate}/u.test(s)) {
      throw new GremlinError("invalid UTF-8", "", "", from, "half of a surrogate pair");
    }
    return s;
  }
}
