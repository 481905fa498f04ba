import type { FindingCode } from "../model/finding.js";
import type { Figures } from "./finding-figures.js";

/** The words for one code. */
export interface FindingProse {
  readonly title: string;
  /** What was seen, without a capital and without a full stop. */
  readonly sentence: (figures: Figures) => string;
  readonly cause: string;
  readonly remedy: string;
}

const PROSE: Readonly<Record<FindingCode, FindingProse>> = {
  ALL_FAILED: {
    title: "Nothing was answered as expected",
    sentence: (of) =>
      of.text("sent") === of.text("inFlight")
        ? `none of ${of.count("sent")} requests was answered before the measurement ended`
        : `none of ${of.count("sent")} requests was answered as expected`,
    cause:
      "The wrong path, method or port, a check that does not fit the answers, or a target that does not work. Figures of failed answers say nothing about the target: errors are often quicker than answers.",
    remedy:
      "Request the URL once by hand, then correct the URL, or say with --expect-status and --expect-body which answers are right.",
  },
  BODY_MISMATCH: {
    title: "Answers with an unexpected body",
    sentence: (of) => `${share(of)} were answered with another body than expected, or with something that is not HTTP`,
    cause: "The body contains something that changes (a time, a counter), or an error page comes with status 200.",
    remedy: "Compare an answer with --expect-body; leave the option out if bodies differ for good reasons.",
  },
  CONNECTIONS_RESET: {
    title: "Connections were reset",
    sentence: (of) => `${share(of)} ended with the connection reset`,
    cause:
      "The target, or a proxy in front of it, aborted the connection: overload, a crash, a full backlog, or a limit.",
    remedy: "Look into the target's log for that time, and lower the connections to find the level where it begins.",
  },
  CONNECT_ERRORS: {
    title: "Connections could not be made",
    sentence: (of) =>
      `${share(of)} found no connection${of.has("code") ? `, most often because of ${of.text("code")}` : ""}`,
    cause:
      "ECONNREFUSED: nothing listens there, or the backlog is full. ENOTFOUND: the host name is wrong. Else a limit of this machine, which has a finding of its own.",
    remedy: "Check that the target listens at that address; raise its backlog, or lower the connections.",
  },
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
  INTERRUPTED: {
    title: "Interrupted",
    sentence: () => "the measurement was interrupted and holds what was counted until then",
    cause: "The run was stopped from outside, by Ctrl-C or by its caller.",
    remedy: "Repeat the run if the missing part matters.",
  },
  KEEPALIVE_REFUSED: {
    title: "The server closes connections",
    sentence: (of) =>
      `${of.count("established")} connections were established for ${of.count("answers")} answers, instead of ${of.count("opened")} that stay open`,
    cause:
      "The server or a proxy does not keep connections alive, or only for a few requests; every new one costs time.",
    remedy: "Switch keep-alive on in the server, or use --no-keepalive to say that this is what is to be measured.",
  },
  LEVEL_NOT_REACHED: {
    title: "Fewer connections than asked for",
    sentence: (of) => `${of.count("opened")} of ${of.count("asked")} connections were ever open`,
    cause:
      "The target refuses or delays connections (backlog, connection limit), or the time was too short to open all.",
    remedy: "Raise the target's limits or the duration; the figures belong to the connections that were open.",
  },
  LITTLES_LAW: {
    title: "Latency and throughput contradict each other",
    sentence: (of) =>
      `throughput times mean latency makes ${of.rate("computed")} connections, but there were ${of.count("asked")}`,
    cause:
      "More than there were: latencies are counted wrongly. Fewer: time is missing from the latencies, because of a fault in the engine or because requests hung unanswered until the end.",
    remedy:
      "Give hanging requests their time with a --duration above --timeout. If that changes nothing, report it with the result.json: it is a fault of the engine.",
  },
  MACHINE_SATURATED: {
    title: "The whole machine was busy",
    sentence: (of) => `all cores together were ${of.percent("machine")} busy`,
    cause:
      "Generator, balancer and backends share the cores and take time from one another, or something else is running.",
    remedy: "Close other programs, use fewer processes, or put the target on another machine.",
  },
  NON_2XX: {
    title: "Answers with an unexpected status",
    sentence: (of) =>
      `${share(of)} were answered with a status other than ${of.has("expected") ? of.text("expected") : "2xx"}${
        of.has("status") ? `, most often ${of.text("status")}` : ""
      }`,
    cause: "A wrong path or method (4xx), or a target or proxy that fails under this load (5xx).",
    remedy:
      "Request the URL once by hand. If the status is right, say so with --expect-status; if not, read the target's log.",
  },
  NO_WARMUP: {
    title: "No warm-up",
    sentence: () => "the target was measured without a warm-up",
    cause:
      "The first requests are slower, because code is not yet compiled and caches are empty, and they are counted.",
    remedy: "Set --warmup to 1s or more, unless the cold start is what is to be measured.",
  },
  PORTS_EXHAUSTED: {
    title: "No free local ports",
    sentence: portSentence,
    cause:
      "Every connection takes a local port of the side that opens it, which is never the server. If that side also closes it first, the port rests for a minute (TIME_WAIT); with net.ipv4.tcp_tw_reuse at 2, for one second on the loopback.",
    remedy:
      'Keep connections alive, also from the balancer to its backends; widen the range (sysctl -w net.ipv4.ip_local_port_range="1024 65535"); or wait a minute between runs.',
  },
  REQUESTS_DROPPED: {
    title: "Connections closed without an answer",
    sentence: (of) => `the server closed the connection before the answer was complete in ${share(of)}`,
    cause: "A worker that crashed or was restarted, an overload policy that drops requests, or a keep-alive timeout.",
    remedy: "Look into the target's log for that time, and lower the connections to find the level where it begins.",
  },
  REQUESTS_LOST: {
    title: "Requests do not add up",
    sentence: (of) =>
      of.has("counted")
        ? `${of.count("completed")} requests were answered, but the balancer passed on ${of.count("counted")}`
        : `${of.count("sent")} requests were sent, but ${of.count("accounted")} are accounted for`,
    cause: "A fault in the counting of the engine or the balancer, or requests that went to something else.",
    remedy:
      "Check that nothing else uses the address of the target. If so, report it with the result.json: it is a fault.",
  },
  SINGLE_TRIAL: {
    title: "A single trial",
    sentence: () => "everything was measured once",
    cause: "One run tells nothing about how much the figures vary, so no difference can be told from noise.",
    remedy: "Use --trials 5 or more to compare targets, or this run with another.",
  },
  STEP_FAILED: {
    title: "The step failed",
    sentence: (of) => `the step failed with ${of.text("code")}: ${withoutFullStop(of.text("message"))}`,
    cause: "The message says what was expected and what came.",
    remedy: "Correct what the message names and run again.",
  },
  TARGET_DIED: {
    title: "The target died",
    sentence: (of) => `the target ended while it was measured: ${withoutFullStop(of.text("message"))}`,
    cause: "The target crashed, ran out of memory, or was stopped by something else.",
    remedy: "Read the output above and the target's log; find the level it survives with fewer connections.",
  },
  THRESHOLD_FAILED: {
    title: "A threshold was not met",
    sentence: (of) => `threshold ${of.text("threshold")} does not hold: ${of.metric("actual", "metric")}`,
    cause: "The target is slower, or fails more often, than was asked of it.",
    remedy: "Look for the bottleneck of that step, or set the threshold to what the target has to do.",
  },
  THRESHOLD_INCONCLUSIVE: {
    title: "A threshold could not be judged",
    sentence: (of) =>
      `threshold ${of.text("threshold")} cannot be judged because of ${of.text("because")}${
        of.has("actual") ? `; measured: ${of.metric("actual", "metric")}` : ""
      }`,
    cause: "Another finding of the same step says that the figure means less than it seems.",
    remedy: "Do away with the finding it names, then run again.",
  },
  TIMEOUTS: {
    title: "Requests timed out",
    sentence: (of) =>
      `${share(of)} had no complete answer within ${of.has("timeoutMs") ? of.duration("timeoutMs") : "the timeout"}`,
    cause: "The target hangs, or its queue is longer than the timeout allows.",
    remedy: "Look for requests that never end; raise --timeout only if clients would wait as long.",
  },
  TLS_NOT_VERIFIED: {
    title: "The certificate was not checked",
    sentence: () => "the engine does not check the certificate of an https target",
    cause: "The engine cannot switch verification on; encryption and its cost are real all the same.",
    remedy: "Nothing, if you know that the address is the target's; else choose an engine that verifies.",
  },
  TOO_SHORT: {
    title: "The measurement was too short",
    sentence: (of) =>
      `it lasted ${of.duration("elapsedMs")}, less than the ${of.duration("minimumMs")} that figures need to settle`,
    cause: "Too few requests for so fast a target: start-up and single pauses weigh more than the target itself.",
    remedy: "Use more --requests, or --duration 3s.",
  },
  TRIALS_DISAGREE: {
    title: "Trials disagree",
    sentence: (of) =>
      `${of.count("trials")} trials gave between ${of.rate("low")} and ${of.rate("high")} ok responses/s, ${of.percent("spread")} of the median apart${
        of.text("levels").includes(",") ? ` (the worst, at ${of.text("connections")})` : ""
      }`,
    cause: "Something else was running, the processor changed its clock, or the target itself varies.",
    remedy: "Close other programs, use a longer --duration and more --trials; trust the median with its interval only.",
  },
};

/** The words for every code there is. */
export const FINDING_PROSE: ReadonlyMap<string, FindingProse> = new Map(Object.entries(PROSE));

function descriptorSentence(of: Figures): string {
  const limit = of.has("fdLimit") ? `, and the limit is ${of.count("fdLimit")}` : "";
  if (of.has("used")) {
    return `process ${of.text("process")} had ${of.count("used")} file descriptors open${limit}`;
  }
  if (of.has("needed")) {
    const who = of.has("process") ? `process ${of.text("process")}, at` : "a process that holds";
    return `${who} ${of.count("connections")} connections${of.has("process") ? "," : ""} needs about ${of.count("needed")} file descriptors${limit}`;
  }
  // The first words say whose fault it is not.
  const who = of.has("process") ? "the client (the load generator), not the server," : "the load generator";
  return `${who} ran out of file descriptors ${of.count("count")} times (${of.text("code")})${limit}`;
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
    ? `${who}, not the server, ran out of local ports: ${of.count("count")} connections found none free${range}`
    : `${of.count("count")} connections found no free local port${range}`;
}

function share(of: Figures): string {
  return `${of.count("count")} of ${of.count("sent")} requests (${of.percent("share")})`;
}

function withoutFullStop(message: string): string {
  return message.trimEnd().replace(/\.$/, "");
}
