import { Deposit } from "gen/protobuf-ts/deposit.ts";
import { Submit } from "gen/protobuf-ts/submit.ts";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "Number($)", map: "object" });
export const impl: Impl = {
  name: "protobuf-ts",
  Submit: {
    read2: (b: Uint8Array) => s.submit2!(Submit.fromBinary(b) as never),
    readAll: (b: Uint8Array) => s.submit!(Submit.fromBinary(b) as never),
    decode: (b: Uint8Array) => Submit.fromBinary(b),
    encode: (m) => Submit.toBinary(m),
  },
  Deposit: {
    read2: (b: Uint8Array) => s.deposit2!(Deposit.fromBinary(b) as never),
    readAll: (b: Uint8Array) => s.deposit!(Deposit.fromBinary(b) as never),
    decode: (b: Uint8Array) => Deposit.fromBinary(b),
    encode: (m) => Deposit.toBinary(m),
  },
};
