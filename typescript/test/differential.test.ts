// Random Messages and mutations of their bytes, beside gremlin for Go, which answers as it answers
// the official conformance runner, and beside protobuf-es.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { GremlinError, type MessageType, validate, Writer } from "@octopus-framework/gremlin";
import { fromJson, toJson } from "@octopus-framework/gremlin/json";
import * as c from "./gen/conformance/conformance.gremlin.js";
import { message, mutate, random } from "./random.js";
import { readers, types } from "./types.js";
import { toMessage } from "./walk.js";

const dir = process.env["GREMLIN_TEST"]!;
const names = ["google.protobuf.proto3.TestAllTypesProto3", "protobuf_test_messages.proto3.TestAllTypesProto3",
  "protobuf_test_messages.proto2.TestAllTypesProto2", "protobuf_test_messages.editions.TestAllTypesEdition2023"]
  .filter((name) => types.has(name));
const count = Number(process.env["GREMLIN_MUTATIONS"] ?? 6_000);
const seed = Number(process.env["GREMLIN_SEED"] ?? 20261123);

interface Case { type: MessageType; b: Uint8Array }

function cases(): Case[] {
  const r = random(seed), out: Case[] = [];
  for (const name of names) {
    const type = types.get(name)!;
    let last = new Uint8Array([8, 1]);
    for (let i = 0; i < count / names.length; i++) {
      const b = encode(type, message(types, type, r, 2));
      out.push({ type, b: i % 8 === 0 ? b : mutate(b, last, r) });
      last = b as Uint8Array<ArrayBuffer>;
    }
  }
  // Findings of before, as hex and the number of a name.
  for (const line of fs.readFileSync(path.join(dir, "seeds.txt"), "utf8").split("\n")) {
    const [i, hex] = line.split(" ");
    if (hex !== undefined && !line.startsWith("#")) {
      out.push({ type: types.get(names[Number(i)]!)!, b: Uint8Array.from(Buffer.from(hex, "hex")) });
    }
  }
  return out;
}

const writer = new Writer(1 << 16);
function encode(type: MessageType, m: unknown): Uint8Array {
  type.append(writer, m as object);
  return writer.finish();
}

/** Asks gremlin for Go all at once. */
function askGo(all: readonly Case[], format: number): c.ConformanceResponse[] {
  const parts: Uint8Array[] = [];
  for (const { type, b } of all) {
    const q = c.encodeConformanceRequest({ messageType: type.table.name, requestedOutputFormat: format,
      payload: { case: "protobufPayload", value: b } });
    const size = Buffer.alloc(4);
    size.writeUInt32LE(q.length);
    parts.push(size, q);
  }
  const foreign = path.join(dir, "../../conformance/testdata/scratch/official/foreign");
  const run = spawnSync(foreign, ["testee", "message"], { input: Buffer.concat(parts), maxBuffer: 1 << 30 });
  assert.equal(run.status, 0, String(run.error ?? run.stderr));
  const out: c.ConformanceResponse[] = [];
  for (let p = 0; p < run.stdout.length;) {
    const n = run.stdout.readUInt32LE(p);
    out.push(c.decodeConformanceResponse(run.stdout.subarray(p + 4, p + 4 + n)));
    p += 4 + n;
  }
  assert.equal(out.length, all.length);
  return out;
}

function attempt<T>(run: () => T): { value: T } | { error: GremlinError } {
  try {
    return { value: run() };
  } catch (x) {
    if (!(x instanceof GremlinError)) throw x;
    return { error: x };
  }
}

const all = cases();

test("verdicts, values and JSON are those of gremlin for Go", () => {
  const answers = askGo(all, c.WireFormat.PROTOBUF), asJson = askGo(all, c.WireFormat.JSON);
  let accepted = 0, texts = 0;
  all.forEach(({ type, b }, i) => {
    const what = `${names.indexOf(type.table.name)} ${Buffer.from(b).toString("hex")}`;
    const ours = attempt(() => type.decode(b)), go = answers[i]!.result!;
    if ("error" in ours && ours.error.code === "nested too deep") return; // Go goes deeper
    assert.equal("value" in ours, go.case === "protobufPayload",
      `${what}\nGo: ${JSON.stringify(go.value)}\n${"error" in ours ? ours.error.message : "accepted"}`);
    const checked = attempt(() => validate(type, b));
    assert.equal("value" in checked, "value" in ours, "validate: " + what);
    if (!("value" in ours)) return;
    accepted++;
    assert.deepEqual(type.decode(go.value as Uint8Array), ours.value, what);
    assert.deepEqual(type.decode(encode(type, ours.value)), ours.value, "round: " + what);
    const read = toMessage(types, type.table, readers.get(type.table.name)!.read(b));
    assert.deepEqual(type.decode(encode(type, read)), ours.value, "Reader: " + what);
    const json = asJson[i]!.result!, text = attempt(() => toJson(type, ours.value));
    // Texts of proto2 need not be UTF-8: JavaScript has U+FFFD for the rest of them, JSON then, too.
    if (json.case === "serializeError" && json.value.endsWith("invalid UTF-8")) return;
    assert.equal("value" in text, json.case === "jsonPayload", "JSON: " + what + JSON.stringify(json.value));
    if (!("value" in text)) return;
    texts++;
    assert.deepEqual(fromJson(type, json.value as string), fromJson(type, text.value), "JSON: " + what);
  });
  assert.ok(accepted > all.length / 8 && accepted < all.length, `${accepted} of ${all.length} are messages`);
  assert.ok(texts > all.length / 16, `${texts} have JSON`);
  console.log(`${all.length} inputs, ${accepted} are messages, ${texts} have JSON`);
});

test("values are those of protobuf-es", () => {
  const set = fromBinary(FileDescriptorSetSchema, fs.readFileSync(path.join(dir, "out/official.binpb")));
  const registry = createFileRegistry(set);
  let both = 0, stricter = 0, laxer = 0, other = 0, entries = 0;
  all.forEach(({ type, b }) => {
    const schema = registry.getMessage(type.table.name)!;
    const ours = attempt(() => type.decode(b));
    let es: Uint8Array | undefined;
    try { es = toBinary(schema, fromBinary(schema, b)); } catch { /* a verdict */ }
    // It takes some values of a wire type that is not the schema's for right; ours are unknown fields.
    if ("value" in ours && es !== undefined && hasUnknown(ours.value)) other++;
    else if ("value" in ours && es !== undefined) {
      const again = attempt(() => type.decode(es!));
      assert.ok("value" in again, Buffer.from(b).toString("hex"));
      both++;
      // So it does with keys and values of entries of maps, and may read the bytes behind an entry
      // as part of it. Unknown fields of entries are kept by nobody, so these inputs are few but not
      // told by their values; what they mean without their unknown fields has to be the same.
      if (isDeepStrictEqual(again.value, ours.value)) return;
      entries++;
      const plain = toBinary(schema, fromBinary(schema, encode(type, ours.value)));
      assert.deepEqual(type.decode(plain), ours.value, Buffer.from(b).toString("hex"));
    } else if ("value" in ours) stricter++; // a wire type that is not the schema's is an error there
    else if (es !== undefined) laxer++; // required fields and bits beyond 64 are not asked for
  });
  assert.ok(both > all.length / 10, `${both} of ${all.length}`);
  assert.ok(entries <= both / 100, `${entries} of ${both} differ in entries of maps`);
  console.log(`es: ${both} equal, ${stricter} it rejects, ${laxer} it accepts, ${other} with unknown fields, ` +
    `${entries} with other entries`);
});

/** Tells whether a Message has unknown fields at any level. */
function hasUnknown(m: unknown): boolean {
  if (m instanceof Map) return [...m.values()].some(hasUnknown);
  if (Array.isArray(m)) return m.some(hasUnknown);
  if (m === null || typeof m !== "object" || m instanceof Uint8Array) return false;
  // es has JSON for a Struct, where a Value without a value is null.
  return Object.entries(m).some(([k, v]) => k === "$unknown" ? v !== undefined
    : k === "kind" ? v === undefined : hasUnknown(v));
}
