// Times a cold start: a new process imports a bundle, reads two fields of one Deposit, then of 100. By turns.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const [gen, quick] = process.argv.slice(2);
const names = fs.readdirSync(gen + "/cold").map((name) => name.replace(".mjs", ""));

if (process.env.COLD) {
  const messages = fs.readFileSync(gen + "/data/Deposit.Deposit"), all = [];
  for (let p = 0; p < messages.length;) {
    let n = 0, shift = 0, x;
    do { x = messages[p++]; n |= (x & 127) << shift; shift += 7; } while (x > 127);
    all.push(new Uint8Array(messages.subarray(p, p + n)));
    p += n;
  }
  while (all.length < 100) all.push(...all);
  const start = performance.now();
  const { impl } = await import(pathToFileURL(`${gen}/cold/${process.env.COLD}.mjs`).href);
  if (impl.json) process.exit(0); // nothing to import: not compared
  let sum = impl.Deposit.read2(all[0]);
  for (let i = 0; i < 100; i++) sum += impl.Deposit.read2(all[i]);
  console.log(`${performance.now() - start} ${sum}`);
} else {
  const times = new Map(names.map((name) => [name, []]));
  const sums = new Set();
  for (let round = 0; round < (quick === "1" ? 5 : 21); round++) {
    for (const name of names) {
      const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), gen], { env: { ...process.env, COLD: name } });
      if (run.status !== 0) throw new Error(`${name}: ${run.stderr}`);
      const [ms, sum] = String(run.stdout).trim().split(" ");
      if (ms === "") continue;
      times.get(name).push(Number(ms));
      sums.add(sum);
    }
  }
  if (sums.size !== 1) throw new Error("not all read the same: " + [...sums].join(", "));
  const ours = median(times.get("gremlin-reader"));
  console.log("\ncold start: import, read two fields of one Deposit and of 100; gzip is of the bundle");
  for (const [name, list] of times) {
    if (list.length === 0) continue;
    const { gzipSync } = await import("node:zlib");
    const size = gzipSync(fs.readFileSync(`${gen}/cold/${name}.mjs`), { level: 9 }).length;
    console.log(name.padEnd(28) + median(list).toFixed(2).padStart(8) + " ms" + (median(list) / ours).toFixed(2).padStart(8) + "x" +
      String(size).padStart(8) + " bytes gzip");
  }
}

function median(list) { return list.sort((a, b) => a - b)[list.length >> 1]; }
