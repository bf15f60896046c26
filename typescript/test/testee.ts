// Answers the official conformance runner: requests and responses have their length in four bytes
// before them. The argument says by what a message is read: "message" or "reader".

import fs from "node:fs";
import { GremlinError, type MessageType, validate, Writer } from "@octopus-framework/gremlin";
import { fromJson, toJsonString } from "@octopus-framework/gremlin/json";
import * as c from "./gen/conformance/conformance.gremlin.js";
import { readers, types, extensions } from "./types.js";
import { toMessage } from "./walk.js";

const way = process.argv[2];

function decode(name: string, b: Uint8Array): unknown {
  if (way === "message") return types.get(name)!.decode(b);
  validate(types.get(name)!, b);
  return toMessage(types, types.get(name)!.table, readers.get(name)!.read(b));
}

function answer(q: c.ConformanceRequestReader): Partial<c.ConformanceResponse> {
  const name = q.messageType, type = types.get(name) as MessageType | undefined;
  if (name === "conformance.FailureSet") {
    return { result: { case: "protobufPayload", value: new Uint8Array(0) } };
  }
  if (type === undefined) return { result: { case: "skipped", value: "no type " + name } };
  const options = { types: [...types.values()], extensions,
    ignoreUnknown: q.testCategory === c.TestCategory.JSON_IGNORE_UNKNOWN_PARSING_TEST };
  let m: unknown;
  try {
    switch (q.payloadCase) {
      case "protobufPayload": m = decode(name, q.protobufPayload!); break;
      case "jsonPayload": {
        m = fromJson(type, q.jsonPayload!, options);
        if (way === "reader") m = decode(name, bytes(type, m));
        break;
      }
      default: return { result: { case: "skipped", value: "no " + q.payloadCase } };
    }
  } catch (x) {
    if (!(x instanceof GremlinError)) throw x;
    return { result: { case: "parseError", value: x.message } };
  }
  try {
    switch (q.requestedOutputFormat) {
      case c.WireFormat.PROTOBUF:
        return { result: { case: "protobufPayload", value: bytes(type, m) } };
      case c.WireFormat.JSON:
        return { result: { case: "jsonPayload", value: toJsonString(type, m, options) } };
    }
  } catch (x) {
    if (!(x instanceof GremlinError)) throw x;
    return { result: { case: "serializeError", value: x.message } };
  }
  return { result: { case: "skipped", value: "no such format" } };
}

function bytes(type: MessageType, m: unknown): Uint8Array {
  const w = new Writer();
  type.append(w, m as object);
  return w.finish();
}

function read(n: number): Uint8Array | undefined {
  const b = new Uint8Array(n);
  for (let have = 0; have < n;) {
    const k = fs.readSync(0, b, have, n - have, null);
    if (k === 0) return undefined;
    have += k;
  }
  return b;
}

for (let head; (head = read(4)) !== undefined;) {
  const body = read(new DataView(head.buffer).getUint32(0, true))!;
  const out = c.encodeConformanceResponse(answer(c.ConformanceRequestReader.read(body)));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, out.length, true);
  fs.writeSync(1, size);
  for (let at = 0; at < out.length;) at += fs.writeSync(1, out, at);
}
