// Times: Messages of google.protobuf and what JavaScript has.

/** Returns the time of a Timestamp; less than a millisecond is cut off. */
export function timestampToDate(t: { readonly seconds: bigint; readonly nanos: number }): Date {
  return new Date(Number(t.seconds) * 1000 + Math.floor(t.nanos / 1e6));
}

/** Returns the Timestamp of a time. */
export function timestampFromDate(d: Date): { seconds: bigint; nanos: number } {
  const ms = d.getTime(), seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1e6 };
}

/** Returns a Duration in milliseconds. */
export function durationToMillis(d: { readonly seconds: bigint; readonly nanos: number }): number {
  return Number(d.seconds) * 1000 + d.nanos / 1e6;
}
