import type { FindingCode } from "../model/finding.js";
import { countThings, type Figures, type FindingProse } from "./finding-figures.js";

/** The words for findings about limits of the generator and of the machine. */
export const MACHINE_PROSE = {
  FD_LIMIT: {
    title: "Too few file descriptors",
    sentence: descriptorSentence,
    cause:
      "Every connection takes a file descriptor in the generator and in the target; a balancer takes two. Node.js raises its soft limit to the hard one, so it is the hard one that counts.",
    remedy: "Raise the limit in the shell that starts lbbench (ulimit -n 65536), or use fewer connections.",
  },
  GENERATOR_SATURATED: {
    title: "The load generator was the limit",
    sentence: (of) =>
      `process ${of.text("process")} was busy all the time (CPU ${of.percent("cpu")}${
        of.has("busiestThread") ? `, busiest thread ${of.percent("busiestThread")}` : ""
      }${of.has("eventLoopUtilization") ? `, event loop ${of.percent("eventLoopUtilization")}` : ""})`,
    cause: "The target answers faster than the generator can ask, so throughput and latency are the generator's.",
    remedy:
      "Use more generator processes if there are cores for them, or a faster engine; read the throughput as a lower bound.",
  },
  HOST_BUSY: {
    title: "The host took processor time away",
    sentence: (of) => `the host of this virtual machine gave ${of.percent("steal")} of its processor time to others`,
    cause: "The machine is virtual, and shares its cores with other machines that were busy.",
    remedy: "Measure when the host is quieter, or on a machine of its own. Read the throughput as a lower bound.",
  },
  LEVEL_NOT_REACHED: {
    title: "Less load than asked for",
    sentence: levelSentence,
    cause:
      "The target refuses or delays connections (backlog, connection limit), or the time was too short to open all. At a rate: the target answers more slowly than requests come, or the generator cannot send so many.",
    remedy:
      "Raise the target's limits or the duration; the figures belong to the load that was there. At a rate: lower it, raise --max-in-flight, or use more --generators.",
  },
  MACHINE_SATURATED: {
    title: "The whole machine was busy",
    sentence: (of) =>
      `all cores together were ${of.percent("machine")} busy${of.has("ofTarget") ? `, and ${of.percent("ofTarget")} of that was the target` : ""}`,
    cause:
      "Generator, balancer and backends share the cores and take time from one another, or something else is running.",
    remedy: "Close other programs, use fewer processes, or put the target on another machine.",
  },
  PORTS_EXHAUSTED: {
    title: "No free local ports",
    sentence: portSentence,
    cause:
      "Every connection takes a local port of the side that opens it, which is never the server. If that side also closes it first, the port rests for a minute (TIME_WAIT); with net.ipv4.tcp_tw_reuse at 2, for one second on the loopback.",
    remedy:
      'Keep connections alive, also from the balancer to its backends; widen the range (sysctl -w net.ipv4.ip_local_port_range="1024 65535"); or wait a minute between runs.',
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

function levelSentence(of: Figures): string {
  if (of.has("unsent")) {
    return `${of.count("unsent")} of ${of.count("planned")} requests that were due could not leave, as too many were in flight`;
  }
  return of.has("latenessMs")
    ? `requests left ${of.duration("latenessMs")} late on average, so the generator did not keep up with ${countThings(of, "rate", "request")} per second`
    : `${of.count("opened")} of ${countThings(of, "asked", "connection", true)} ever open`;
}

function descriptorSentence(of: Figures): string {
  const limit = of.has("fdLimit") ? `, and the limit is ${of.count("fdLimit")}` : "";
  if (of.has("used")) {
    return `process ${of.text("process")} had ${of.count("used")} file descriptors open${limit}`;
  }
  if (of.has("needed")) {
    const who = of.has("process") ? `process ${of.text("process")}, at` : "a process that holds";
    return `${who} ${countThings(of, "connections", "connection")}${of.has("process") ? "," : ""} needs about ${of.count("needed")} file descriptors${limit}`;
  }
  // The first words say whose fault it is not.
  const who = of.has("process") ? "the client (the load generator), not the server," : "the load generator";
  return `${who} ran out of file descriptors ${countThings(of, "count", "time")} (${of.text("code")})${limit}`;
}

function portSentence(of: Figures): string {
  const who = of.text("process") === "balancer" ? "the balancer" : "the client (the load generator)";
  if (of.has("taken")) {
    return `${who} had ${of.count("taken")} of ${of.count("ports")} local ports taken for connections to ${of.text("destination")}`;
  }
  if (of.has("needed")) {
    return `${who} may need ${of.count("needed")} local ports at a time, and there are ${of.count("ports")} for connections to one destination`;
  }
  const range = of.has("first") ? ` between ${of.text("first")} and ${of.text("last")}` : "";
  return of.has("process")
    ? `${who}, not the server, ran out of local ports: ${countThings(of, "count", "connection")} found none free${range}`
    : `${countThings(of, "count", "connection")} found no free local port${range}`;
}
