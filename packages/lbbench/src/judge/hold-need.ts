/** What the generators of connections that are held need: processes with descriptors enough, and local addresses with ports enough. */
import type { Environment } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Level } from "../model/level.js";
import { formatCount, countOf } from "../stats/format-number.js";
import { NEAR_LIMIT, SPARE_DESCRIPTORS } from "./pressure.js";
import { portSupply } from "./port-need.js";

/** Part of the ports of an address that is used, because others rest or are taken by other programs. */
const USED_PORTS = 0.75;
const MOST_GENERATORS = 16;
/** 127.0.0.1 to 127.0.0.250. */
const MOST_SOURCES = 250;

/**
 * Local addresses of 127.0.0.0/8 from which so many connections can be made to one destination there, whose name or address is `host`; none
 * where one has ports enough, and where the destination is not on the loopback of IPv4.
 *
 * @param ports that one address has for connections to one destination.
 */
export function sourceAddresses(connections: number, ports: number, host: string): readonly string[] {
  const each = Math.max(1, Math.floor(ports * USED_PORTS));
  if (connections <= each || !hasAddresses(host)) return [];
  return Array.from({ length: Math.min(MOST_SOURCES, Math.ceil(connections / each)) }, (_, at) => `127.0.0.${at + 1}`);
}

const hasAddresses = (host: string): boolean => host === "localhost" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** How connections are shared out to processes and local addresses. */
export type HoldPlan = NonNullable<ReturnType<typeof planHold>>;

/**
 * Plans how the connections of a level are held to a host, those of a burst among them, by how many processes and from which
 * {@link sourceAddresses}. {lack}: what this machine lacks for so many, as a message. `undefined` where none are held.
 */
export function planHold(
  { hold, engine }: Pick<Scenario, "hold" | "engine">,
  { connections = 0 }: Level,
  environment: Environment,
  host: string,
) {
  if (hold === undefined) return undefined;
  const all = connections + (hold.burst ?? 0);
  const ports = portSupply(environment) ?? Infinity;
  const limit = environment.fdLimit ?? Infinity;
  const each = Math.max(1, Math.floor(limit * NEAR_LIMIT) - SPARE_DESCRIPTORS);
  const fewest = Math.ceil(all / each);
  const generators = engine.generators === "auto" ? Math.min(fewest, MOST_GENERATORS) : engine.generators;
  const sources = sourceAddresses(all, ports, host);
  const [needed, supply] = [Math.ceil(all / generators) + SPARE_DESCRIPTORS, ports * Math.max(1, sources.length)];
  if (needed <= limit && all <= supply) return { generators, sources };
  const remedy = fewest > MOST_GENERATORS ? "" : `, or use --generators ${fewest}`;
  const why =
    needed > limit
      ? `${countOf(generators, "generator")} would need ${formatCount(needed)} descriptors each, and a process may have ` +
        `${formatCount(limit)}. Raise the limit (ulimit -Hn)${remedy}, or hold fewer.`
      : `There are ${formatCount(supply)} ports for connections to ${host}. ` +
        `Raise net.ipv4.ip_local_port_range, or hold fewer. For a destination of 127.0.0.0/8 more local addresses are taken.`;
  const asked = `connections (-c): expected so many as this machine can hold, got ${formatCount(all)}.`;
  return { generators, sources, lack: `${asked} ${why}` };
}
