// Sums over messages whose fields are plain properties. Each implementation makes functions of its own of these texts, so that
// the engine compiles them for one shape of object each.

type Reader = (m: never) => number;

/** Returns sums for properties in camelCase or snake_case, with number() around integers of 64 bits. */
export function sums(o: { number: string; snake?: boolean; map: "Map" | "object" | "entries" }): Record<string, Reader> {
  const f = (name: string): string => o.snake ? name.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase()) : name;
  const n = (x: string): string => o.number.replace("$", x);
  const map = o.map === "Map" ? "for (const [k, v] of m.metadata) n += k.length + v.length;"
    : o.map === "entries" ? "for (const e of m.metadata) n += e.key.length + e.value.length;"
    : "const d = m.metadata; for (const k in d) n += k.length + d[k].length;";
  const make = (body: string): Reader => new Function("m", body) as Reader;
  return {
    submit2: make(`return m.destination.length + ${n("m." + f("submittedAt"))}`),
    submit: make(`return m.id.length + m.source.length + m.destination.length + m.text.length + ${n("m." + f("submittedAt"))}
      + m.validity.length + m.account.length + m.callback.length + m.service.length`),
    deposit2: make(`return ${n("m.amount")} + m.user.name.length`),
    deposit: make(`const t = m.time, u = m.user, g = u.geo;
      let n = m.${f("eventId")}.length + ${n("t.seconds")} + t.nanos + m.type + ${n("u.id")} + u.name.length + g.country.length
        + g.latitude + g.longitude + ${n("m.amount")} + m.currency.length + m.ip.length + m.${f("userAgent")}.length;
      ${map}
      for (const x of m.items) n += x.sku.length + x.quantity + ${n("x.price")};
      return n`),
  };
}
