import { Writer } from "@octopus-framework/gremlin";
import { appendDeposit, decodeDeposit, encodeDeposit } from "gen/gremlin/deposit.gremlin.ts";
import { appendSubmit, decodeSubmit, encodeSubmit } from "gen/gremlin/submit.gremlin.ts";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "Number($)", map: "Map" });
const w = new Writer(1 << 16);
export const impl: Impl = {
  name: "gremlin Message",
  Submit: {
    read2: (b: Uint8Array) => s.submit2!(decodeSubmit(b) as never),
    readAll: (b: Uint8Array) => s.submit!(decodeSubmit(b) as never),
    decode: decodeSubmit, encode: encodeSubmit,
    append: (m) => { w.reset(); appendSubmit(w, m); return w.length; },
  },
  Deposit: {
    read2: (b: Uint8Array) => s.deposit2!(decodeDeposit(b) as never),
    readAll: (b: Uint8Array) => s.deposit!(decodeDeposit(b) as never),
    decode: decodeDeposit, encode: encodeDeposit,
    append: (m) => { w.reset(); appendDeposit(w, m); return w.length; },
  },
};
