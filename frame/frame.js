// Reads and makes frames in a browser, with its own streams. Codecs: none, gzip, deflate.
const CODECS = ['none', , , , 'gzip', 'deflate'];

// decodeFrame returns the payload of a frame, a Uint8Array. Payloads over limit bytes are refused.
export async function decodeFrame(frame, limit = 16 << 20) {
  if (frame.length === 0) throw new Error('frame: a frame has at least its flag byte');
  const codec = CODECS[frame[0]], body = frame.subarray(1);
  if (!codec) throw new Error(`frame: flag byte ${frame[0]} names no codec that a browser has`);
  if (codec !== 'none') return through(new DecompressionStream(codec), body, limit);
  if (body.length > limit) throw new Error(`frame: the payload is over the limit of ${limit} bytes`);
  return body;
}

// encodeFrame makes a frame, compressed by codec if that makes it smaller.
export async function encodeFrame(payload, codec = 'gzip', threshold = 512) {
  let flag = CODECS.indexOf('none'), body = payload;
  if (payload.length >= threshold && codec !== 'none') {
    const small = await through(new CompressionStream(codec), payload, Infinity);
    if (small.length < payload.length) [flag, body] = [CODECS.indexOf(codec), small];
  }
  const frame = new Uint8Array(1 + body.length);
  frame[0] = flag;
  frame.set(body, 1);
  return frame;
}

async function through(transform, bytes, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  for (let length = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    if ((length += value.length) <= limit) continue;
    await reader.cancel();
    throw new Error(`frame: the payload is over the limit of ${limit} bytes`);
  }
}
