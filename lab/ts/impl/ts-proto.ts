import { Deposit } from "gen/ts-proto/deposit.ts";
import { Submit } from "gen/ts-proto/submit.ts";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "Number($)", map: "object" });
export const impl: Impl = {
  name: "ts-proto",
  Submit: {
    read2: (b: Uint8Array) => s.submit2!(Submit.decode(b) as never),
    readAll: (b: Uint8Array) => s.submit!(Submit.decode(b) as never),
    decode: (b: Uint8Array) => Submit.decode(b),
    encode: (m) => Submit.encode(m).finish(),
  },
  Deposit: {
    read2: (b: Uint8Array) => s.deposit2!(Deposit.decode(b) as never),
    readAll: (b: Uint8Array) => s.deposit!(Deposit.decode(b) as never),
    decode: (b: Uint8Array) => Deposit.decode(b),
    encode: (m) => Deposit.encode(m).finish(),
  },
};
