// Makes a Message of a Reader by its getters, so that tests see what Readers say.

import { type MessageType, type Table } from "@octopus-framework/gremlin";
import { fieldsOf, Flag, Kind } from "@octopus-framework/gremlin/table";

type Data = Record<string, unknown>;

/** Returns what a Reader says as a Message. Unknown fields come from the Message of its bytes. */
export function toMessage(types: ReadonlyMap<string, MessageType>, t: Table, r: unknown): Data {
  const m: Data = {}, of = r as Data;
  for (const f of fieldsOf(t)) {
    const v = of[f.property];
    const isSet = f.flags & Flag.PRESENCE
      ? (of["has"] as (name: string) => boolean).call(r, f.property) : true;
    if (!isSet) {
      if (f.oneof === undefined) m[f.property] = undefined;
      continue;
    }
    const sub = (x: unknown): unknown => f.kind === Kind.MESSAGE ? toMessage(types, f.table!, x) : x;
    let value: unknown;
    if (f.flags & Flag.MAP) {
      value = new Map([...(v as Map<unknown, unknown>)].map(([k, x]) => [k, sub(x)]));
    } else if (f.flags & Flag.REPEATED) value = [...(v as Iterable<unknown>)].map(sub);
    else value = sub(v);
    if (f.oneof === undefined) m[f.property] = value;
    else m[f.oneof] = { case: f.property, value };
  }
  const raw = (of["raw"] as () => Uint8Array).call(r);
  m["$unknown"] = (types.get(t.name)!.decode(raw) as Data)["$unknown"];
  return m;
}
