/** Clients for Connect's protocol over fetch: calls with one answer, and streams from the server. */

import { GremlinError } from "./error.js";
import { type MessageType } from "./table.js";
import { encode } from "./writer.js";

/** A method with one request and one answer. */
export interface UnaryMethod<I, O> {
  readonly name: string;
  readonly kind: "unary";
  readonly input: MessageType<I>;
  readonly output: MessageType<O>;
}

/** A method with a stream. Browsers can only receive one. */
export interface StreamMethod<K extends "client stream" | "server stream" | "bidi", I, O> {
  readonly name: string;
  readonly kind: K;
  readonly input: MessageType<I>;
  readonly output: MessageType<O>;
}

type Method = UnaryMethod<any, any> | StreamMethod<"client stream" | "server stream" | "bidi", any, any>;

/** A service, as generated code describes it. */
export interface Service {
  readonly name: string;
  readonly methods: { readonly [name: string]: Method };
}

/** What a client is told. */
export interface ClientOptions {
  /** Where the service is: `https://example.com`. */
  readonly baseUrl: string;
  /** What sends requests; the platform's fetch without it. */
  readonly fetch?: typeof globalThis.fetch;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The size of the largest message that is received; 64 MiB without it. */
  readonly maxBytes?: number;
}

/** What a call is told. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** How long the server may take. */
  readonly timeoutMs?: number;
}

/** A client has a method for each of the service's that fetch can call. */
export type Client<S extends Service> = {
  readonly [K in keyof S["methods"] as S["methods"][K]["kind"] extends "unary" | "server stream" ? K : never]:
  S["methods"][K] extends UnaryMethod<infer I, infer O>
    ? (input: Readonly<Partial<I>>, options?: CallOptions) => Promise<O>
    : S["methods"][K] extends StreamMethod<"server stream", infer I, infer O>
      ? (input: Readonly<Partial<I>>, options?: CallOptions) => AsyncIterable<O> : never;
};

/** ConnectError is an answer that says that a call failed. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  /** As Connect calls it: `not_found`. */
  readonly code: string;
  /** What the server says beyond the message: types and base64 of messages. */
  readonly details: readonly unknown[];

  constructor(code: string, message: string, details: readonly unknown[] = []) {
    super(message === "" ? code : `${code}: ${message}`);
    this.code = code;
    this.details = details;
  }
}

/** Returns a client of a service. */
export function createClient<S extends Service>(service: S, options: ClientOptions): Client<S> {
  const client: Record<string, unknown> = {};
  for (const [key, m] of Object.entries(service.methods)) {
    const call: Call = { url: `${options.baseUrl.replace(/\/$/, "")}/${service.name}/${m.name}`,
      options, method: m };
    if (m.kind === "unary") {
      client[key] = (input: object, o: CallOptions = {}) => unary(call, input, o);
    } else if (m.kind === "server stream") {
      client[key] = (input: object, o: CallOptions = {}) => stream(call, input, o);
    }
  }
  return client as Client<S>;
}

interface Call {
  readonly url: string;
  readonly options: ClientOptions;
  readonly method: Method;
}

async function send(c: Call, o: CallOptions, type: string, body: Uint8Array): Promise<Response> {
  const headers: Record<string, string> = { ...c.options.headers, ...o.headers, "Content-Type": type,
    "Connect-Protocol-Version": "1" };
  if (o.timeoutMs !== undefined) headers["Connect-Timeout-Ms"] = String(Math.ceil(o.timeoutMs));
  const init: RequestInit = { method: "POST", headers, body: body as Uint8Array<ArrayBuffer> };
  if (o.signal !== undefined) init.signal = o.signal;
  const answer = await (c.options.fetch ?? globalThis.fetch)(c.url, init);
  if (answer.ok && answer.headers.get("Content-Type") === type) return answer;
  throw await failure(answer);
}

/** Returns what an answer says that is none to the call. */
async function failure(answer: Response): Promise<ConnectError> {
  const text = await answer.text();
  try {
    return errorOf(JSON.parse(text));
  } catch {
    return new ConnectError(answer.status === 404 ? "unimplemented" : "unknown",
      `HTTP status ${answer.status}`);
  }
}

function errorOf(x: unknown): ConnectError {
  const e = x as { code?: unknown; message?: unknown; details?: unknown } | null;
  if (typeof e?.code !== "string") throw new TypeError("no error of Connect's");
  return new ConnectError(e.code, typeof e.message === "string" ? e.message : "",
    Array.isArray(e.details) ? e.details : []);
}

function tooLarge(size: number): GremlinError {
  return new GremlinError("too large", "", "", -1, `an answer has ${size} bytes or more`);
}

async function unary(c: Call, input: object, o: CallOptions): Promise<unknown> {
  const answer = await send(c, o, "application/proto", encode(c.method.input.append, input));
  const parts: Uint8Array[] = [], max = c.options.maxBytes ?? 64 << 20;
  let size = 0;
  for await (const part of chunks(answer)) {
    size += part.length;
    if (size > max) throw tooLarge(size);
    parts.push(part);
  }
  return c.method.output.decode(join(parts, size));
}

async function* chunks(answer: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (answer.body === null) return;
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // ends the request if nobody wants the rest
  }
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  for (const p of parts) { out.set(p, at); at += p.length; }
  return out;
}

async function* stream(c: Call, input: object, o: CallOptions): AsyncGenerator<unknown, void, undefined> {
  const message = encode(c.method.input.append, input), body = new Uint8Array(message.length + 5);
  new DataView(body.buffer).setUint32(1, message.length);
  body.set(message, 5);
  const answer = await send(c, o, "application/connect+proto", body);
  const max = c.options.maxBytes ?? 64 << 20;
  let parts: Uint8Array[] = [], have = 0, need = 5;
  for await (const part of chunks(answer)) {
    parts.push(part);
    have += part.length;
    while (have >= need) {
      const b = parts.length === 1 ? parts[0]! : join(parts, have);
      parts = [b];
      const size = new DataView(b.buffer, b.byteOffset).getUint32(1);
      if (size > max) throw tooLarge(size);
      need = 5 + size;
      if (have < need) break;
      const content = b.subarray(5, need), flags = b[0]!;
      if (flags & 2) {
        const end = JSON.parse(new TextDecoder().decode(content)) as { error?: unknown } | null;
        if (end?.error !== undefined) throw errorOf(end.error);
        return;
      }
      if (flags !== 0) throw new ConnectError("internal", "a compressed message was not asked for");
      yield c.method.output.decode(content);
      have -= need;
      parts = [b.subarray(need)];
      need = 5;
    }
  }
  throw new ConnectError("unavailable", "the stream ended without its end");
}
