// What Messages and Readers do, beside the official suite.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  appendDelimited, clearExtension, getExtension, GremlinError, hasExtension, readDelimited,
  setExtension, timestampFromDate, timestampToDate, validate, Writer,
} from "@octopus-framework/gremlin";
import { fromJson, toJson, toJsonString } from "@octopus-framework/gremlin/json";
import { Timestamp } from "@octopus-framework/gremlin/wkt/timestamp";
import * as t2 from "./gen/google/protobuf/test_messages_proto2.gremlin.js";
import {
  decodeTestAllTypesProto3 as decode, encodeTestAllTypesProto3 as encode, newTestAllTypesProto3,
  newTestAllTypesProto3_NestedMessage as newNested, TestAllTypesProto3, TestAllTypesProto3_NestedEnum, TestAllTypesProto3Reader as Reader,
} from "./gen/google/protobuf/test_messages_proto3.gremlin.js";

function failure(run: () => unknown): GremlinError {
  try {
    run();
  } catch (x) {
    assert.ok(x instanceof GremlinError, String(x));
    return x;
  }
  assert.fail("no error");
}

const message = newTestAllTypesProto3({
  optionalInt64: -5n, optionalString: "Grüße, 世界 🐙", optionalDouble: -0, optionalUint64: 2n ** 64n - 1n,
  optionalNestedMessage: newNested({ a: 7 }),
  repeatedNestedMessage: [1, 2, 3].map((a) => newNested({ a })),
  optionalNestedEnum: TestAllTypesProto3_NestedEnum.BAR,
  repeatedInt32: [1, -1, 300], mapStringString: new Map([["__proto__", "x"], ["constructor", ""]]),
  optionalBytes: new Uint8Array([0, 255]), oneofField: { case: "oneofUint32", value: 9 },
});

test("a Reader says what a Message says", () => {
  const b = encode(message);
  assert.deepEqual(decode(b), message);
  const r = Reader.read(b);
  assert.equal(r.optionalInt64, -5n);
  assert.equal(r.optionalInt64Number, -5);
  assert.equal(r.optionalString, message.optionalString);
  assert.ok(Object.is(r.optionalDouble, -0));
  assert.throws(() => r.optionalUint64Number, GremlinError);
  assert.equal(r.optionalNestedMessage?.a, 7);
  assert.deepEqual([...r.repeatedNestedMessage].map((x) => x.a), [1, 2, 3]);
  assert.equal(r.repeatedNestedMessage.length, 3);
  assert.deepEqual(r.repeatedInt32, [1, -1, 300]);
  assert.deepEqual(r.mapStringString, message.mapStringString);
  assert.equal(r.oneofFieldCase, "oneofUint32");
  assert.equal(r.has("oneofUint32"), true);
  assert.equal(r.has("optionalForeignMessage"), false);
  assert.deepEqual(r.raw(), b);
  assert.deepEqual(structuredClone(message), message);
});

test("messages that come in pieces are merged", () => {
  const a = encode({ optionalNestedMessage: { a: 1 } });
  const b = encode({ optionalNestedMessage: { a: 0, corecursive: newTestAllTypesProto3({ optionalInt32: 3 }) } });
  const both = new Uint8Array([...a, ...encode({ optionalInt32: 4 }), ...b]);
  const sub = Reader.read(both).optionalNestedMessage!;
  assert.equal(sub.a, 1);
  assert.equal(sub.corecursive?.optionalInt32, 3);
  assert.equal(decode(both).optionalNestedMessage?.corecursive?.optionalInt32, 3);
});

test("many pieces with unknown fields take linear time and memory", () => {
  const piece = [146, 1, 3, 200, 62, 1]; // optional_nested_message with an unknown field
  const b = new Uint8Array(200_000 * piece.length).map((_, i) => piece[i % piece.length]!);
  assert.equal(decode(b).optionalNestedMessage!.$unknown!.length, 600_000);
});

test("errors have code, message, path and offset", () => {
  const bad = encode({ repeatedNestedMessage: [{ a: 1 }, { a: 2, corecursive: newTestAllTypesProto3({ optionalString: "abc" }) }] });
  bad[bad.length - 2] = 0xff;
  for (const run of [() => decode(bad), () => validate(TestAllTypesProto3, bad)]) {
    const x = failure(run);
    assert.equal(x.code, "invalid UTF-8");
    assert.equal(x.messageName, "protobuf_test_messages.proto3.TestAllTypesProto3");
    assert.equal(x.path, "repeated_nested_message[1].corecursive.optional_string");
    assert.equal(x.offset, bad.length - 3);
    assert.match(x.message, /^protobuf_test.*Proto3: repeated_nested.*: invalid UTF-8 at offset \d+$/);
  }
  const cut = encode(message).subarray(0, 12);
  assert.equal(failure(() => decode(cut)).code, "malformed");
  assert.equal(failure(() => Reader.read(cut)).code, "malformed");
});

test("deep nesting is an error, not a stack that overflows", () => {
  let m = newTestAllTypesProto3();
  for (let i = 0; i < 120; i++) m = newTestAllTypesProto3({ recursiveMessage: m });
  assert.equal(failure(() => encode(m)).code, "nested too deep");
  const round = newTestAllTypesProto3();
  round.recursiveMessage = round;
  assert.equal(failure(() => encode(round)).code, "nested too deep");
  assert.equal(failure(() => toJson(TestAllTypesProto3, round)).code, "nested too deep");
  assert.ok(encode(message).length > 0, "the writer works after an error");
  const groups = new Uint8Array(100_000).fill(11);
  assert.equal(failure(() => decode(groups)).code, "nested too deep");
  assert.equal(failure(() => fromJson(TestAllTypesProto3, "[".repeat(100_000))).code, "nested too deep");
});

test("values that do not fit are errors", () => {
  for (const m of [{ optionalInt32: 1.5 }, { optionalInt32: NaN }, { optionalUint32: -1 },
    { optionalInt64: 2n ** 63n }, { optionalString: "\ud800" }, { optionalString: 5 as never },
    { optionalBytes: "x" as never }]) {
    assert.equal(failure(() => encode(m)).code, "bad value");
  }
});

test("a buffer that changes or goes away gives wrong values, no loop", () => {
  const b = encode(message), r = Reader.read(b);
  b.fill(255);
  for (const name of ["optionalString", "optionalInt64", "repeatedInt32", "mapStringString"] as const) {
    try { void r[name]; } catch (x) { assert.ok(x instanceof GremlinError); }
  }
  try { for (const x of r.repeatedNestedMessage) void x.a; } catch (x) { assert.ok(x instanceof GremlinError); }
  const gone = encode(message), r2 = Reader.read(gone);
  structuredClone(gone.buffer, { transfer: [gone.buffer as ArrayBuffer] });
  for (const name of ["optionalString", "optionalInt64", "repeatedInt32", "optionalBytes"] as const) {
    try { void r2[name]; } catch (x) { assert.ok(x instanceof GremlinError || x instanceof TypeError, String(x)); }
  }
});

test("shared memory and Node's buffers can be read", () => {
  const b = encode(message), shared = new Uint8Array(new SharedArrayBuffer(b.length));
  shared.set(b);
  assert.equal(Reader.read(shared).optionalString, message.optionalString);
  assert.deepEqual(decode(Buffer.from(b)), message);
  const view = decode(Buffer.from(b)).optionalBytes;
  assert.equal(view.buffer.byteLength, 2, "a Message has a copy");
});

test("JSON keeps 64 bits, tells duplicates, and names the place", () => {
  const m = fromJson(TestAllTypesProto3, '{"optionalInt64": 9223372036854775807, "mapStringString": {"__proto__": "x"}}');
  assert.equal(m.optionalInt64, 2n ** 63n - 1n);
  assert.equal(m.mapStringString.get("__proto__"), "x");
  assert.equal(toJsonString(TestAllTypesProto3, m), '{"optionalInt64":"9223372036854775807","mapStringString":{"__proto__":"x"}}');
  assert.equal(failure(() => fromJson(TestAllTypesProto3, '{"optionalInt32":1,"optionalInt32":2}')).code, "duplicate");
  const x = failure(() => fromJson(TestAllTypesProto3, { repeatedNestedMessage: [{}, { a: "x" }] }));
  assert.equal(x.path, "repeated_nested_message[1].a");
  assert.deepEqual(toJson(TestAllTypesProto3, newTestAllTypesProto3({ optionalFloat: Math.fround(0.1) })), { optionalFloat: 0.1 });
});

test("extensions are set, read, taken away, and in JSON", () => {
  const m = t2.newTestAllTypesProto2(), x = t2.extensionInt32;
  assert.equal(hasExtension(m, x), false);
  setExtension(m, x, 5);
  const back = t2.decodeTestAllTypesProto2(t2.encodeTestAllTypesProto2(m));
  assert.equal(getExtension(back, x), 5);
  const text = toJsonString(t2.TestAllTypesProto2, back, { extensions: [x] });
  assert.equal(text, '{"[protobuf_test_messages.proto2.extension_int32]":5}');
  assert.equal(getExtension(fromJson(t2.TestAllTypesProto2, text, { extensions: [x] }), x), 5);
  clearExtension(back, x);
  assert.equal(back.$unknown, undefined);
});

test("required fields and defaults of proto2", () => {
  const x = failure(() => t2.decodeTestAllRequiredTypesProto2(new Uint8Array(0)));
  assert.equal(x.code, "missing required");
  assert.equal(x.path, "required_int32");
  const r = t2.TestAllTypesProto2Reader.read(new Uint8Array(0));
  assert.equal(r.defaultInt32, -123456789);
  assert.equal(r.has("defaultInt32"), false);
  assert.equal(t2.decodeTestAllTypesProto2(new Uint8Array(0)).defaultInt32, undefined);
  assert.equal(t2.TestAllTypesProto2$defaults.defaultInt64, -9123456789123456789n);
});

test("delimited streams come in any pieces", async () => {
  const w = new Writer(), all = [1, 200, 3].map((n) => newTestAllTypesProto3({ repeatedInt32: Array(n).fill(n) }));
  for (const m of all) appendDelimited(TestAllTypesProto3, w, m);
  const b = w.finish();
  for (const size of [1, 2, 7, 1000]) {
    const chunks: Uint8Array[] = [];
    for (let i = 0; i < b.length; i += size) chunks.push(b.subarray(i, i + size));
    const got = [];
    for await (const x of readDelimited(chunks)) got.push(decode(x));
    assert.deepEqual(got, all);
  }
  await assert.rejects(async () => { for await (const x of readDelimited([b.subarray(0, -1)])) void x; }, GremlinError);
  await assert.rejects(async () => { for await (const x of readDelimited([new Uint8Array([255, 255, 255, 255, 7])])) void x; },
    { code: "too large" });
  await assert.rejects(async () => { for await (const x of readDelimited([new Uint8Array(20).fill(255)])) void x; },
    { code: "malformed" });
});

test("times", () => {
  const d = new Date("1969-12-31T23:59:59.999Z"), t = timestampFromDate(d);
  assert.deepEqual(t, { seconds: -1n, nanos: 999_000_000 });
  assert.equal(timestampToDate(t).getTime(), d.getTime());
  assert.deepEqual(toJson(Timestamp, { ...t }), "1969-12-31T23:59:59.999Z");
});
