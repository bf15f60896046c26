// Checks that all implementations read and write the same, then times them by turns and prints what took how long.

import depositData from "gen/data/Deposit.Deposit";
import submitData from "gen/data/Submit.Submit";
import { decodeDeposit } from "gen/gremlin/deposit.gremlin.ts";
import { decodeSubmit } from "gen/gremlin/submit.gremlin.ts";
import { impl as message } from "./impl/gremlin-message.ts";
import { impl as reader } from "./impl/gremlin-reader.ts";
import { impl as json } from "./impl/json.ts";
import { impl as pbf } from "./impl/pbf.ts";
import { impl as es } from "./impl/protobuf-es.ts";
import { impl as protobufTs } from "./impl/protobuf-ts.ts";
import { impl as pbjs } from "./impl/protobufjs.ts";
import { impl as tsProto } from "./impl/ts-proto.ts";
import type { Impl, Kind } from "./impl.ts";

declare const QUICK: number; // 1 for lab.sh -quick
declare const process: unknown;

const rounds = QUICK ? 9 : 31, slice = QUICK ? 8 : 15; // slices in milliseconds
const impls = [reader, message, es, pbjs, pbf, protobufTs, tsProto, json];

const lines: string[] = [];
function say(line: string): void {
  lines.push(line);
  if (typeof process !== "undefined") console.log(line);
}

/** Splits messages that stand each behind its length. */
function split(b: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let p = 0; p < b.length;) {
    let n = 0;
    for (let shift = 0;; shift += 7) {
      const x = b[p++]!;
      n |= (x & 127) << shift;
      if (x < 128) break;
    }
    out.push(b.slice(p, p + n));
    p += n;
  }
  return out;
}

/** Returns a message as text of JSON with numbers of 64 bits as strings. */
function text(m: unknown): string {
  return JSON.stringify(m, (k, v: unknown) => typeof v === "bigint" ? String(v)
    : v instanceof Map ? Object.fromEntries(v) : k === "$unknown" ? undefined : v);
}

const workloads = [
  { name: "Submit" as const, data: split(submitData), plain: decodeSubmit },
  { name: "Deposit" as const, data: split(depositData), plain: decodeDeposit },
];

/** Ends the run unless an implementation reads what ours does and writes what it can read again. */
function check(x: Impl, k: Kind, data: readonly unknown[], bytes: readonly Uint8Array[], name: "Submit" | "Deposit"): void {
  const want = message[name];
  data.forEach((b, i) => {
    for (const op of ["read2", "readAll"] as const) {
      const got = k[op](b as never), sum = want[op](bytes[i] as never);
      if (got !== sum) throw new Error(`${x.name} ${op} of ${name} ${i}: ${got}, want ${sum}`);
    }
    if (k.encode === undefined) return;
    const again = k.readAll(k.encode(k.decode(b as never) as never) as never);
    if (again !== want.readAll(bytes[i] as never)) throw new Error(`${x.name} encode of ${name} ${i} is read as ${again}`);
  });
}

interface Timed { name: string; run: (n: number) => unknown; n: number; times: number[] }

/** Times functions by turns and returns the median of each, in nanoseconds. */
function time(all: { name: string; f: (x: never) => unknown; inputs: readonly unknown[] }[]): Map<string, number> {
  const timed: Timed[] = all.map(({ name, f, inputs }) => ({
    name, n: 1, times: [],
    // A loop of its own, so that the engine compiles it for this function only.
    run: new Function("f", "inputs", `return n => {
      let last;
      for (let i = 0, k = 0; i < n; i++) { last = f(inputs[k]); if (++k === inputs.length) k = 0; }
      return last;
    }`)(f, inputs) as Timed["run"],
  }));
  for (const t of timed) {
    for (;;) { // until the engine has compiled it and a slice is long enough
      const start = performance.now();
      t.run(t.n);
      const took = performance.now() - start;
      if (took >= slice) { t.n = Math.max(1, Math.round(t.n * slice / took)); break; }
      t.n *= 2;
    }
    for (let i = 0; i < 3; i++) t.run(t.n);
  }
  for (let r = 0; r < rounds; r++) {
    for (const t of timed) {
      const start = performance.now();
      t.run(t.n);
      t.times.push((performance.now() - start) / t.n * 1e6);
    }
  }
  return new Map(timed.map((t) => [t.name, t.times.sort((a, b) => a - b)[rounds >> 1]!]));
}

/** Prints a table: nanoseconds, and how many times as fast as it the best of ours is. */
function table(title: string, medians: Map<string, number>): void {
  const ours = [...medians].filter(([name]) => name.startsWith("gremlin")).sort((a, b) => a[1] - b[1])[0]!;
  say(`\n${title}; ours: ${ours[0]}`);
  for (const [name, ns] of medians) {
    const ratio = ns / ours[1];
    say(name.padEnd(28) + ns.toFixed(ns < 100 ? 1 : 0).padStart(8) + " ns" + ratio.toFixed(2).padStart(8) + "x" +
      (ratio < 0.95 && !name.startsWith("gremlin") ? "  WE LOSE" : ""));
  }
}

for (const w of workloads) {
  const texts = w.data.map((b) => text(w.plain(b)));
  const inputs = (x: Impl): readonly unknown[] => x.json ? texts : w.data;
  for (const x of impls) check(x, x[w.name], inputs(x), w.data, w.name);
  const size = Math.round(w.data.reduce((n, b) => n + b.length, 0) / w.data.length);
  for (const [op, title] of [["read2", "read two fields"], ["readAll", "read all fields"], ["decode", "decode"]] as const) {
    // What a Reader has after decode is where the fields are, so that it is not compared.
    table(`${w.name}, ${size} bytes, ${title}`, time(impls.filter((x) => op !== "decode" || x !== reader)
      .map((x) => ({ name: x.name, f: x[w.name][op], inputs: inputs(x) }))));
  }
  const writers = impls.filter((x) => x[w.name].encode !== undefined).map((x) => ({ name: x.name, f: x[w.name].encode!,
    inputs: inputs(x).map((b) => x[w.name].decode(b as never)) }));
  const again = { name: message.name + ", own Writer", f: message[w.name].append!, inputs: w.data.map((b) => w.plain(b)) };
  const medians = time([...writers, again]);
  // Only what returns bytes of its own is compared with peers, which all do.
  const own = medians.get(again.name)!;
  medians.delete(again.name);
  table(`${w.name}, ${size} bytes, encode`, medians);
  say(again.name.padEnd(28) + own.toFixed(own < 100 ? 1 : 0).padStart(8) + " ns");
}
if (typeof process === "undefined") {
  const pre = document.createElement("pre");
  pre.textContent = "\n" + lines.join("\n") + "\n";
  document.body.replaceChildren(pre);
}
