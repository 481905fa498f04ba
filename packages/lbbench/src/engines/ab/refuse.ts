import type { AskedLoad } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { refuseFractions } from "../driven-program/whole-seconds.js";

/** MAX_CONCURRENCY of ab. */
const MOST_CONNECTIONS = 20_000;

/** Methods with which ab sends a body: `-p` and `-u`. */
const WITH_BODY = ["POST", "PUT"];

/** Says why ab cannot do exactly what is asked; `undefined` when it can. */
export function refuseAb({ request, timeoutMs, levels }: AskedLoad): string | undefined {
  if (request.body !== null && !WITH_BODY.includes(request.method)) {
    return `ab sends a body with POST and PUT only, got one with ${request.method}`;
  }
  if (request.headers.some(([name]) => name.toLowerCase() === "content-length")) {
    return "ab writes the header Content-Length itself: leave it out";
  }
  const fraction = refuseFractions("ab", "the timeout", "--timeout", timeoutMs);
  if (fraction !== undefined) return fraction;
  for (const level of levels) {
    const connections = closedConnections(level);
    const { requests, durationMs } = level;
    if (connections > MOST_CONNECTIONS) {
      return `ab opens ${MOST_CONNECTIONS} connections at most, got a level of ${connections}`;
    }
    if (requests !== undefined && requests < connections) {
      return `ab sends no fewer requests than there are connections: expected -n ${connections} or more for -c ${connections}, got ${requests}`;
    }
    const short = durationMs === undefined ? undefined : refuseFractions("ab", "a duration", "-d", durationMs);
    if (short !== undefined) return short;
  }
  return undefined;
}
