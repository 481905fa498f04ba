import type { NetworkSettings } from "../../model/pressure.js";
import { countPorts, parsePortRange, type PortRange } from "./count-ports.js";
import { readText } from "../../system/proc.js";
import { readNumber } from "./read-number.js";

const IPV4 = "/proc/sys/net/ipv4";

/** How long a port in TIME_WAIT rests where the kernel has no setting for it: a clock of whole seconds has to go on. */
const FIXED_REUSE_DELAY_MS = 1000;

/** The ephemeral ports, first and last; `null` where the system does not tell. */
export async function readPortRange(): Promise<PortRange | null> {
  return parsePortRange(await readText(`${IPV4}/ip_local_port_range`));
}

/** Reads what the system allows for connections; `null` everywhere outside Linux. */
export async function readNetworkSettings(): Promise<NetworkSettings> {
  const [range, reserved, tcpTwReuse, delayMs, timestamps, tcpMaxSynBacklog, somaxconn] = await Promise.all([
    readPortRange(),
    readText(`${IPV4}/ip_local_reserved_ports`),
    readNumber(`${IPV4}/tcp_tw_reuse`),
    readNumber(`${IPV4}/tcp_tw_reuse_delay`),
    readNumber(`${IPV4}/tcp_timestamps`),
    readNumber(`${IPV4}/tcp_max_syn_backlog`),
    readNumber("/proc/sys/net/core/somaxconn"),
  ]);
  return {
    ephemeralPorts: range === null ? null : countPorts(range, reserved),
    tcpTwReuse,
    tcpTwReuseDelayMs: tcpTwReuse === null ? null : (delayMs ?? FIXED_REUSE_DELAY_MS),
    tcpTimestamps: timestamps === null ? null : timestamps !== 0,
    somaxconn,
    tcpMaxSynBacklog,
  };
}
