import { DepositReader } from "gen/gremlin/deposit.gremlin.ts";
import { SubmitReader } from "gen/gremlin/submit.gremlin.ts";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "Number($)", map: "Map" });
export const impl: Impl = {
  name: "gremlin Reader",
  Submit: {
    read2: (b: Uint8Array) => { const r = SubmitReader.read(b); return r.destination.length + r.submittedAtNumber; },
    readAll: (b: Uint8Array) => s.submit!(SubmitReader.read(b) as never),
    decode: (b: Uint8Array) => SubmitReader.read(b),
  },
  Deposit: {
    read2: (b: Uint8Array) => { const r = DepositReader.read(b); return r.amountNumber + r.user!.name.length; },
    readAll: (b: Uint8Array) => s.deposit!(DepositReader.read(b) as never),
    decode: (b: Uint8Array) => DepositReader.read(b),
  },
};
