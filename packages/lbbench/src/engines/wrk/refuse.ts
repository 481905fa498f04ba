import type { AskedLoad } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { refuseFractions } from "../driven-program/whole-seconds.js";
import type { WrkOptions } from "./options.js";

/** Says why wrk cannot do exactly what is asked; `undefined` when it can. */
export function refuseWrk({ request, timeoutMs, levels }: AskedLoad, { threads }: WrkOptions): string | undefined {
  if (request.method === "HEAD") {
    return "wrk waits for the body that the answer to a HEAD announces and never has: use another method or engine";
  }
  const fraction = refuseFractions("wrk", "the timeout", "--timeout", timeoutMs);
  if (fraction !== undefined) return fraction;
  for (const level of levels) {
    const connections = closedConnections(level);
    if (connections % threads !== 0) {
      return (
        `wrk gives each of its threads the same number of connections: expected one that ${threads} threads divide ` +
        `without a rest, got ${connections}; set engines.wrk.threads to one that does`
      );
    }
    const short = refuseFractions("wrk", "a duration", "-d", level.durationMs ?? 0);
    if (level.requests === undefined && short !== undefined) return short;
  }
  return undefined;
}
