// A page that calls the server of examples/shop, and tells the test what it got.

import { ConnectError, createClient } from "@octopus-framework/gremlin/connect";
import { Shop } from "./gen/shop/v1/shop.gremlin.js";

async function calls(): Promise<string> {
  const shop = createClient(Shop, { baseUrl: location.origin });
  const got: unknown[] = [];
  for (const [item, cents] of [["tea", 250n], ["Grüße", 99n]] as const) {
    got.push((await shop.place({ customer: "Ada", item, cents })).id);
  }
  for await (const entry of shop.list({ from: 0n })) got.push(entry.order?.item);
  try {
    await createClient({ ...Shop, name: "shop.v1.Nobody" }, { baseUrl: location.origin }).place({});
  } catch (x) {
    got.push(x instanceof ConnectError ? x.code : String(x));
  }
  return got.join(" ");
}

void calls().catch(String).then((body) => fetch("/result", { method: "POST", body }));
