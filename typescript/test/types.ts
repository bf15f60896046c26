// All types of the schemas that tests use, by full name.

import { type Extension, type MessageType } from "@octopus-framework/gremlin";
import * as ed from "./gen/ed/ed.gremlin.js";
import * as known from "./gen/known/known.gremlin.js";
import * as p2 from "./gen/p2/p2.gremlin.js";
import * as p3 from "./gen/p3/p3.gremlin.js";
import * as t2023 from "./gen/google/protobuf/test_messages_edition2023.gremlin.js";
import * as t2 from "./gen/google/protobuf/test_messages_proto2.gremlin.js";
import * as t2e from "./gen/google/protobuf/test_messages_proto2_editions.gremlin.js";
import * as t3 from "./gen/google/protobuf/test_messages_proto3.gremlin.js";
import * as t3e from "./gen/google/protobuf/test_messages_proto3_editions.gremlin.js";
import * as any from "@octopus-framework/gremlin/wkt/any";
import * as duration from "@octopus-framework/gremlin/wkt/duration";
import * as mask from "@octopus-framework/gremlin/wkt/field_mask";
import * as struct from "@octopus-framework/gremlin/wkt/struct";
import * as timestamp from "@octopus-framework/gremlin/wkt/timestamp";
import * as wrappers from "@octopus-framework/gremlin/wkt/wrappers";

export const types: Map<string, MessageType> = new Map();
export const readers: Map<string, { read(b: Uint8Array): unknown }> = new Map();
export const extensions: Extension<any, any>[] = [];

for (const module of [ed, known, p2, p3, t2023, t2, t2e, t3, t3e, any, duration, mask, struct,
  timestamp, wrappers] as Record<string, unknown>[]) {
  for (const [key, x] of Object.entries(module)) {
    if (typeof x !== "object" || x === null) continue;
    if ("extendee" in x) extensions.push(x as Extension<any, any>);
    else if ("create" in x && !key.endsWith("$type")) {
      const type = x as MessageType;
      types.set(type.table.name, type);
      readers.set(type.table.name, module[key + "Reader"] as never);
    }
  }
}
