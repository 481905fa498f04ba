import type { AskedLoad } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { refuseFractions } from "../driven-program/whole-seconds.js";

/** Headers that hey, or Go's client in it, writes itself or adds to, whatever it is told. */
const OWN_HEADERS = ["user-agent", "content-length", "transfer-encoding", "trailer"];

/** Says why hey cannot do exactly what is asked; `undefined` when it can. */
export function refuseHey({ request, timeoutMs, levels }: AskedLoad): string | undefined {
  const { method, headers } = request;
  if (method !== method.toUpperCase()) return `hey writes methods in capitals, got "${method}"`;
  const seen = new Set<string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (OWN_HEADERS.includes(key)) return `hey does not send the header ${name} as it is given: leave it out`;
    if (seen.has(key)) return `hey sends a header once, got ${name} several times`;
    if (!/^[\w-]+$/.test(name) || value.trim() === "") {
      return `hey sends headers that have a value, and names of letters, digits, "_" and "-", got "${name}: ${value}"`;
    }
    seen.add(key);
  }
  const fraction = refuseFractions("hey", "the timeout", "--timeout", timeoutMs);
  if (fraction !== undefined) return fraction;
  for (const level of levels) {
    const connections = closedConnections(level);
    const { requests } = level;
    if (requests === undefined || requests % connections === 0) continue;
    const [down, up] = [Math.floor(requests / connections), Math.ceil(requests / connections)];
    const near = [down, up].filter((each) => each > 0).map((each) => each * connections);
    return (
      `hey sends the same number of requests over each connection: expected -n ${near.join(" or ")} for -c ${connections}, ` +
      `got ${requests}`
    );
  }
  return undefined;
}
