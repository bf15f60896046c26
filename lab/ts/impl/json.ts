import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

// The texts are those that gremlin writes, with numbers of 64 bits as strings. They are texts already: a program that gets bytes
// has to decode UTF-8 first.
const s = sums({ number: "Number($)", map: "object" });
const kind = (two: string, all: string): Impl["Submit"] => ({
  read2: (t: string) => s[two]!(JSON.parse(t) as never),
  readAll: (t: string) => s[all]!(JSON.parse(t) as never),
  decode: (t: string) => JSON.parse(t),
  encode: (m) => JSON.stringify(m),
});
export const impl: Impl = { name: "JSON.parse", json: true, Submit: kind("submit2", "submit"), Deposit: kind("deposit2", "deposit") };
