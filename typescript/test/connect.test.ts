// The client of Connect's protocol, against answers as the protocol defines them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { GremlinError } from "@octopus-framework/gremlin";
import { type Client, ConnectError, createClient } from "@octopus-framework/gremlin/connect";
import { decodeOrder, encodeEntry, encodePlaced, newOrder, Shop } from "./gen/shop/v1/shop.gremlin.js";

interface Seen { url: string; headers: Record<string, string>; body: Uint8Array }

function client(answer: () => Response, seen: Seen[] = [], maxBytes?: number): Client<typeof Shop> {
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    seen.push({ url: String(url), headers: init!.headers as Record<string, string>, body: init!.body as Uint8Array });
    return answer();
  };
  return createClient(Shop, { baseUrl: "https://shop.example/", fetch, headers: { "X-A": "b" },
    ...(maxBytes === undefined ? {} : { maxBytes }) });
}

function envelope(flags: number, content: Uint8Array): Uint8Array {
  const out = Buffer.alloc(5 + content.length);
  out[0] = flags;
  out.writeUInt32BE(content.length, 1);
  out.set(content, 5);
  return out;
}

function streamed(parts: readonly Uint8Array[], size: number): Response {
  const all = new Uint8Array(Buffer.concat(parts));
  const body = new ReadableStream<Uint8Array>({
    start(c) {
      for (let i = 0; i < all.length; i += size) c.enqueue(all.slice(i, i + size));
      c.close();
    },
  });
  return new Response(body as unknown as BodyInit, { headers: { "Content-Type": "application/connect+proto" } });
}

const json = (x: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(x));

test("a call with one answer", async () => {
  const seen: Seen[] = [];
  const shop = client(() => new Response(encodePlaced({ id: 7n }) as Uint8Array<ArrayBuffer>,
    { headers: { "Content-Type": "application/proto" } }), seen);
  assert.equal((await shop.place({ customer: "Ada", cents: 250n }, { timeoutMs: 1.5 })).id, 7n);
  assert.equal(seen[0]!.url, "https://shop.example/shop.v1.Shop/Place");
  assert.deepEqual(seen[0]!.headers, { "X-A": "b", "Content-Type": "application/proto",
    "Connect-Protocol-Version": "1", "Connect-Timeout-Ms": "2" });
  assert.deepEqual(decodeOrder(seen[0]!.body), newOrder({ customer: "Ada", cents: 250n }));
  assert.ok(!("import" in shop) && !("watch" in shop), "browsers cannot send streams");
});

test("refusals and bad answers are errors", async () => {
  const shop = client(() => new Response(json({ code: "not_found", message: "no tea", details: [{ type: "x" }] }) as Uint8Array<ArrayBuffer>,
    { status: 404, headers: { "Content-Type": "application/json" } }));
  await assert.rejects(shop.place({}), (x: ConnectError) => x instanceof ConnectError &&
    x.code === "not_found" && x.message === "not_found: no tea" && x.details.length === 1);
  await assert.rejects(client(() => new Response("<html>", { status: 502 })).place({}), { code: "unknown" });
  await assert.rejects(client(() => new Response("<html>")).place({}), { code: "unknown" });
  const large = client(() => new Response(new Uint8Array(100), { headers: { "Content-Type": "application/proto" } }), [], 99);
  await assert.rejects(large.place({}), (x: GremlinError) => x.code === "too large");
});

test("a stream comes in any pieces, and ends with its end", async () => {
  const entries = [1n, 2n, 3n].map((id) => envelope(0, encodeEntry({ id, order: newOrder({ item: "x".repeat(Number(id) * 50) }) })));
  for (const size of [1, 3, 64, 10_000]) {
    const got: bigint[] = [];
    for await (const e of client(() => streamed([...entries, envelope(2, json({}))], size)).list({})) got.push(e.id);
    assert.deepEqual(got, [1n, 2n, 3n]);
  }
  const run = async (parts: readonly Uint8Array[]): Promise<number> => {
    let n = 0;
    for await (const e of client(() => streamed(parts, 7), [], 1000).list({})) n += e.order === undefined ? 0 : 1;
    return n;
  };
  await assert.rejects(run([...entries, envelope(2, json({ error: { code: "aborted" } }))]), { code: "aborted" });
  await assert.rejects(run(entries), { code: "unavailable" });
  await assert.rejects(run([envelope(1, json({}))]), { code: "internal" });
  await assert.rejects(run([new Uint8Array([0, 255, 255, 255, 255])]), (x: GremlinError) => x.code === "too large");
  assert.equal(await run([...entries, envelope(2, json({}))]), 3);
});
