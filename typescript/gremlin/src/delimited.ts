// Streams of messages, each with its length before it.

import { GremlinError } from "./error.js";
import { E, HI, LO, varint } from "./wire.js";
import type { MessageType } from "./table.js";
import type { Writer } from "./writer.js";

/** Writes a Message with its length before it. */
export function appendDelimited<M>(type: MessageType<M>, w: Writer, m: Readonly<Partial<M>>): void {
  const at = w.openList(0);
  type.append(w, m);
  w.close(at);
}

/**
 * Reads the messages of a stream as bytes, which decode functions and Readers take. A message of
 * more than maxBytes, 64 MiB if that is not given, is an error before there is memory for it.
 */
export async function* readDelimited(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: { maxBytes?: number } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const max = options.maxBytes ?? 64 << 20;
  let chunks: Uint8Array[] = [], have = 0, need = 0, offset = 0;
  for await (const chunk of stream) {
    if (chunk.length === 0) continue;
    chunks.push(chunk);
    have += chunk.length;
    // Chunks are joined when a whole message is there, so that each byte is copied once.
    while (have > 0 && have >= need) {
      const b = joined(chunks, have);
      const size = head(b, offset);
      if (size === undefined) { chunks = [b]; need = have + 1; break; }
      if (size > max) {
        throw new GremlinError("too large", "", "", offset, `a message has ${size} bytes`);
      }
      const at = E;
      if (have < at + size) { chunks = [b]; need = at + size; break; }
      yield b.slice(at, at + size);
      offset += at + size;
      have -= at + size;
      chunks = have === 0 ? [] : [b.subarray(at + size)];
      need = 0;
    }
  }
  if (have > 0) {
    throw new GremlinError("malformed", "", "", offset, "the stream ends within a message");
  }
}

/** Returns the length at the start of b and sets E behind it; undefined if not all of it is there. */
function head(b: Uint8Array, offset: number): number | undefined {
  const end = b.findIndex((x, i) => x < 128 || i > 9);
  if (end < 0) return undefined;
  varint(b, 0);
  if (HI !== 0 || E > 10) throw new GremlinError("malformed", "", "", offset, "a length");
  return LO >>> 0;
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const out = new Uint8Array(size);
  let at = 0;
  for (const c of chunks) { out.set(c, at); at += c.length; }
  return out;
}
