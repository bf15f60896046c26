import { lab } from "gen/pbjs.js";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "($).toNumber()", map: "object" });
export const impl: Impl = {
  name: "protobuf.js",
  Submit: {
    read2: (b: Uint8Array) => s.submit2!(lab.Submit.decode(b) as never),
    readAll: (b: Uint8Array) => s.submit!(lab.Submit.decode(b) as never),
    decode: (b: Uint8Array) => lab.Submit.decode(b),
    encode: (m) => lab.Submit.encode(m).finish(),
  },
  Deposit: {
    read2: (b: Uint8Array) => s.deposit2!(lab.Deposit.decode(b) as never),
    readAll: (b: Uint8Array) => s.deposit!(lab.Deposit.decode(b) as never),
    decode: (b: Uint8Array) => lab.Deposit.decode(b),
    encode: (m) => lab.Deposit.encode(m).finish(),
  },
};
