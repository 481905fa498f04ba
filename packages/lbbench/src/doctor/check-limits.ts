import type { Check } from "./diagnosis.js";
import type { Readings } from "./readings.js";
import { holdMs } from "../judge/port-need.js";

/** The largest default level is 1000 connections, and a balancer has two descriptors for each. */
const FEW_DESCRIPTORS = 4096;
const TOO_FEW_DESCRIPTORS = 1024;
/** Twice the largest default level: the ports of a warm-up rest while the measurement takes its own. */
const FEW_PORTS = 10_000;
const TOO_FEW_PORTS = 2000;
const MOST_PORTS_RESTING = 0.5;
/** Default of Linux since 5.4, when 128 had proved too few. */
const GOOD_BACKLOG = 4096;

const WIDEN = 'sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"';

/** Descriptors, ports and the backlog. */
export function checkLimits(readings: Readings): readonly Check[] {
  return [checkDescriptors(readings), checkPorts(readings), checkTimeWait(readings), checkBacklog(readings)];
}

function checkDescriptors({ descriptors }: Readings): Check {
  const base = { id: "open-files", title: "Open files" };
  if (descriptors === null) return { ...base, status: "ok", found: "unknown: the system does not tell" };
  const { soft, hard } = descriptors;
  const found = `${formatLimit(soft)} per process (hard limit ${formatLimit(hard)})`;
  if (soft === null || soft >= FEW_DESCRIPTORS) return { ...base, status: "ok", found };
  return {
    ...base,
    status: soft < TOO_FEW_DESCRIPTORS ? "problem" : "warning",
    found,
    remedy: `A balancer takes two for each connection, so about ${Math.floor(soft / 2)} connections are the most. As root, before lbbench in the same shell:\nulimit -n 65536`,
  };
}

function formatLimit(limit: number | null): string {
  return limit === null ? "no limit" : formatWhole(limit);
}

function checkPorts({ network: { ephemeralPorts }, portRange }: Readings): Check {
  const base = { id: "ports", title: "Local ports" };
  if (ephemeralPorts === null || portRange === null) {
    return { ...base, status: "ok", found: "unknown: the system does not tell" };
  }
  const found = `${formatWhole(ephemeralPorts)} for connections to one address and port (${portRange.join(" to ")})`;
  if (ephemeralPorts >= FEW_PORTS) return { ...base, status: "ok", found };
  const status = ephemeralPorts < TOO_FEW_PORTS ? "problem" : "warning";
  return {
    ...base,
    status,
    found,
    remedy: `The generator runs out of them before the target does. Widen the range:\n${WIDEN}`,
  };
}

function checkTimeWait({ network, sockets }: Readings): Check {
  const base = { id: "time-wait", title: "TIME_WAIT" };
  if (sockets === null) return { ...base, status: "ok", found: "unknown: the system does not tell" };
  const found = `${formatWhole(sockets.timeWait)} sockets now; ${describeRest(network)}`;
  const { ephemeralPorts } = network;
  return ephemeralPorts === null || sockets.timeWait <= ephemeralPorts * MOST_PORTS_RESTING
    ? { ...base, status: "ok", found }
    : {
        ...base,
        status: "warning",
        found,
        remedy: "Ports that rest cannot be used. Wait a minute before you measure.",
      };
}

function describeRest(network: Readings["network"]): string {
  const seconds = (toLoopback: boolean): string => `${Number((holdMs(network, toLoopback) / 1000).toFixed(1))} s`;
  const reuse = network.tcpTwReuse === null ? "" : ` (tcp_tw_reuse=${network.tcpTwReuse})`;
  return seconds(true) === seconds(false)
    ? `a port rests for ${seconds(true)}${reuse}`
    : `a port rests for ${seconds(true)} on the loopback, else ${seconds(false)}${reuse}`;
}

function checkBacklog({ network: { somaxconn } }: Readings): Check {
  const base = { id: "backlog", title: "Backlog" };
  if (somaxconn === null) return { ...base, status: "ok", found: "unknown: the system does not tell" };
  const found = `somaxconn ${formatWhole(somaxconn)}`;
  return somaxconn >= GOOD_BACKLOG
    ? { ...base, status: "ok", found }
    : {
        ...base,
        status: "warning",
        found,
        remedy: `Connections that find the backlog full are tried again after 1 s, which looks like latency:\nsudo sysctl -w net.core.somaxconn=${GOOD_BACKLOG}`,
      };
}

function formatWhole(value: number): string {
  return value.toLocaleString("en-US");
}
