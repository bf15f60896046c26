// What a browser has to do, without eval and without what Node has.

import { fromJson, toJsonString } from "@octopus-framework/gremlin/json";
import { decodeDeposit, Deposit, DepositReader, encodeDeposit, newItem } from "./gen/guide/shop/v1/shop.gremlin.js";

const text = "Grüße 🐙 ".repeat(20);
const b = encodeDeposit({ eventId: text, amount: -5n, items: [newItem({ sku: "ä" }), newItem({ sku: "b".repeat(99) })] });
const shared = new Uint8Array(b);
const r = DepositReader.read(shared);
const m = decodeDeposit(b);
const back = fromJson(Deposit, toJsonString(Deposit, m));
let refused = "";
try { decodeDeposit(b.subarray(0, 20)); } catch (x) { refused = (x as Error).message; }
document.body.textContent = [r.eventId === text, r.amount, [...r.items].map((i) => i.sku.length),
  back.eventId === text, back.amount, refused].join("; ");
