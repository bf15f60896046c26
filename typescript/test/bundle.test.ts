// How many bytes a page loads: bundled and minified by esbuild, with gzip.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import zlib from "node:zlib";

const dir = process.env["GREMLIN_TEST"]!;

function size(program: string): number {
  const run = spawnSync(path.join(dir, "../../.tools/typescript/node_modules/.bin/esbuild"),
    ["--bundle", "--minify", "--format=esm", "--loader=ts", "--log-level=warning"],
    { input: program, cwd: dir, maxBuffer: 1 << 26 });
  assert.equal(run.status, 0, String(run.stderr));
  return zlib.gzipSync(run.stdout, { level: 9 }).length;
}

const from = `from "./gen/guide/shop/v1/shop.gremlin.js"`;

for (const [what, program, most] of [
  ["one Reader", `import { UserReader as R } ${from}; console.log(R.read(new Uint8Array(0)).name);`, 1800],
  ["Readers of three messages, list and map", `import { DepositReader as R } ${from};
    const r = R.read(new Uint8Array(0)); console.log(r.amount, r.user?.name);`, 2850],
  ["decode and encode", `import { decodeDeposit, encodeDeposit } ${from};
    console.log(encodeDeposit(decodeDeposit(new Uint8Array(0))));`, 4900],
  ["JSON too", `import { Deposit } ${from}; import { fromJson, toJson } from "@octopus-framework/gremlin/json";
    console.log(toJson(Deposit, fromJson(Deposit, "{}")));`, 10800],
] as const) {
  test(what, () => {
    const n = size(program);
    console.log(`${what}: ${n} bytes`);
    assert.ok(n <= most, `${n} bytes, more than ${most}`);
  });
}
