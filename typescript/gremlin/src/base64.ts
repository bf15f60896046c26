// Base64, which not all platforms have for bytes.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the standard form of bytes. */
export function toBase64(b: Uint8Array): string {
  let s = "";
  for (let i = 0; i < b.length; i += 3) {
    const x = b[i]! << 16 | (b[i + 1] ?? 0) << 8 | (b[i + 2] ?? 0);
    s += ALPHABET[x >> 18]! + ALPHABET[x >> 12 & 63]! +
      (i + 1 < b.length ? ALPHABET[x >> 6 & 63]! : "=") + (i + 2 < b.length ? ALPHABET[x & 63]! : "=");
  }
  return s;
}

/** Returns the bytes of the standard form or that for URLs, padded or not; undefined if it is none. */
export function fromBase64(s: string): Uint8Array | undefined {
  const end = s.endsWith("==") ? s.length - 2 : s.endsWith("=") ? s.length - 1 : s.length;
  if (end % 4 === 1 || end !== s.length && s.length % 4 !== 0) return undefined;
  const out = new Uint8Array(Math.floor(end * 3 / 4));
  let bits = 0, n = 0, at = 0;
  for (let i = 0; i < end; i++) {
    const c = s[i]!, v = ALPHABET.indexOf(c === "-" ? "+" : c === "_" ? "/" : c);
    if (v < 0) return undefined;
    bits = (bits << 6 | v) & 0xffffff;
    n += 6;
    if (n >= 8) { n -= 8; out[at++] = bits >> n; }
  }
  return out;
}
