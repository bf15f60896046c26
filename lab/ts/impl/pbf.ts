import { PbfReader, PbfWriter } from "pbf";
import { readDeposit, writeDeposit } from "gen/pbf/deposit.js";
import { readSubmit, writeSubmit } from "gen/pbf/submit.js";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "$", snake: true, map: "object" });
const submit = (b: Uint8Array): never => readSubmit(new PbfReader(b));
const deposit = (b: Uint8Array): never => readDeposit(new PbfReader(b));
export const impl: Impl = {
  name: "pbf",
  Submit: {
    read2: (b: Uint8Array) => s.submit2!(submit(b)),
    readAll: (b: Uint8Array) => s.submit!(submit(b)),
    decode: submit,
    encode: (m) => { const w = new PbfWriter(); writeSubmit(m, w); return w.finish(); },
  },
  Deposit: {
    read2: (b: Uint8Array) => s.deposit2!(deposit(b)),
    readAll: (b: Uint8Array) => s.deposit!(deposit(b)),
    decode: deposit,
    encode: (m) => { const w = new PbfWriter(); writeDeposit(m, w); return w.finish(); },
  },
};
