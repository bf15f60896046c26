import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { DepositSchema } from "gen/es/deposit_pb.js";
import { SubmitSchema } from "gen/es/submit_pb.js";
import type { Impl } from "../impl.ts";
import { sums } from "../sums.ts";

const s = sums({ number: "Number($)", map: "object" });
export const impl: Impl = {
  name: "protobuf-es",
  Submit: {
    read2: (b: Uint8Array) => s.submit2!(fromBinary(SubmitSchema, b) as never),
    readAll: (b: Uint8Array) => s.submit!(fromBinary(SubmitSchema, b) as never),
    decode: (b: Uint8Array) => fromBinary(SubmitSchema, b),
    encode: (m) => toBinary(SubmitSchema, m),
  },
  Deposit: {
    read2: (b: Uint8Array) => s.deposit2!(fromBinary(DepositSchema, b) as never),
    readAll: (b: Uint8Array) => s.deposit!(fromBinary(DepositSchema, b) as never),
    decode: (b: Uint8Array) => fromBinary(DepositSchema, b),
    encode: (m) => toBinary(DepositSchema, m),
  },
};
