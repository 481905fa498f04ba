import type { FindingCode } from "../model/finding.js";
import { loadWords } from "./describe-level.js";
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
  CLIFF: {
    title: "It falls off a cliff",
    sentence: (of) => `goodput fell to ${of.percent("remaining")} of its best ${fallPlace(of)}, all at once`,
    cause:
      "Something gives way as a whole: a backlog or a connection limit, memory, a crash, or timeouts whose work is done for nothing.",
    remedy:
      "Stay below the last good level; bound queues and refuse what is too much early; measure the levels in between.",
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
  DEGRADES: {
    title: "It degrades",
    sentence: (of) =>
      `goodput fell from ${of.count("firstBad")} ${unitOf(of)} on, at worst to ${of.percent("remaining")} of its best`,
    cause: "More load costs more than it brings: contention, memory pressure, work for requests that have given up.",
    remedy: "Take the load before the fall for its limit; look at what grows with the load, and bound it.",
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
  KNEE: {
    title: "Where throughput stops growing",
    sentence: (of) =>
      `throughput stops growing at about ${of.count("knee")} ${unitOf(of)} (between ${of.count("below")} and ${of.count("above")}), at ${of.rate("throughput")} ok responses/s; more load only waits longer`,
    cause: "Something is fully used from there on; the column Bottleneck says what.",
    remedy: "Run it below the knee; measure levels closer to it to find it more exactly.",
  },
  LEVEL_NOT_REACHED: {
    title: "Less load than asked for",
    sentence: levelSentence,
    cause:
      "The target refuses or delays connections (backlog, connection limit), or the time was too short to open all. At a rate: the target answers more slowly than requests come, or the generator cannot send so many.",
    remedy:
      "Raise the target's limits or the duration; the figures belong to the load that was there. At a rate: lower it, raise --max-in-flight, or use more --generators.",
  },
  LIMIT_DOUBTFUL: {
    title: "The limit may not be the target's",
    sentence: (of) => `${describeMiss(of)}, but ${of.text("doubt")} says that the figure means less than it seems`,
    cause: "The load generator or the machine was at its limit as well, and what it did to the target cannot be told.",
    remedy: "Do away with the finding it names (more --generators, another machine), then search again.",
  },
  LIMIT_FOUND: {
    title: "The limit was found",
    sentence: (of) => `the largest load that held; at ${of.count("broken")} ${describeMiss(of)}`,
    cause: "The search went up until a level did not hold, then halved the way between.",
    remedy: "Nothing.",
  },
  LIMIT_NOT_FOUND: {
    title: "The limit was not found",
    sentence: (of) => NOT_FOUND.get(of.text("reason"))?.(of) ?? `the search ended: ${of.text("reason")}`,
    cause: "The target holds more than was tried, the numbers of a level do not decide, or the search was cut short.",
    remedy: "Raise --most, do away with the finding that is named, or go on with --resume.",
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
  NOTHING_HELD: {
    title: "Not even the smallest load held",
    sentence: (of) => `not even this held: ${describeMiss(of)}`,
    cause: "The threshold asks for more than the target does at rest, or the target does not work.",
    remedy: "Request the URL once by hand, then set the thresholds to what the target has to do.",
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
  SCALABILITY: {
    title: "How it scales",
    sentence: (of) =>
      `the Universal Scalability Law fits within ${of.percent("relativeError")}: contention ${of.percent("contention")}, coherency ${of.percent("coherency")}${
        of.has("peakLoad")
          ? `; its peak is ${of.rate("peakThroughput")} ok responses/s at ${of.count("peakLoad")} ${unitOf(of)}`
          : ""
      }`,
    cause: "Contention is work that is done by one at a time; coherency is what all have to agree on.",
    remedy: "Contention bounds throughput, coherency makes it fall again: look for what is shared.",
  },
  SHEDS: {
    title: "It refuses what is too much",
    sentence: (of) =>
      `requests failed from ${of.count("firstBad")} ${unitOf(of)} on, while as many as at its best were answered`,
    cause: "A limit that was set on purpose, such as a bounded queue: the best way to be overloaded.",
    remedy: "Raise the limit only if there is capacity left; clients should wait before they try again.",
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
  STOPPED_EARLY: {
    title: "Not all levels were measured",
    sentence: (of) =>
      `${of.count("skipped")} higher ${of.text("skipped") === "1" ? "level was" : "levels were"} not measured, because the stop rule ${of.text("rule")} was met (${of.metric("actual", "metric")})`,
    cause: "The target was at its limit, and the sweep was asked to go no further where that shows.",
    remedy: "Nothing, if that is far enough; else leave out --stop-on, or allow more with it.",
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
        of.text("levels").includes(",")
          ? ` (the worst, at ${of.text(["rate", "users"].find(of.has) ?? "connections")})`
          : ""
      }`,
    cause: "Something else was running, the processor changed its clock, or the target itself varies.",
    remedy: "Close other programs, use a longer --duration and more --trials; trust the median with its interval only.",
  },
};

const NOT_FOUND: ReadonlyMap<string, (of: Figures) => string> = new Map([
  ["unbounded", () => "the largest load that was tried held, so the limit is above it"],
  ["unclear", (of: Figures) => `it cannot be said whether this held, because of ${of.text("because")}`],
  ["unfinished", () => "the search was cut short here"],
]);

/** The words for every code there is. */
export const FINDING_PROSE: ReadonlyMap<string, FindingProse> = new Map(Object.entries(PROSE));

/** What the levels of a finding about all of them are values of. */
function unitOf(of: Figures): string {
  const kind = (["connections", "rate", "users"] as const).find((one) => one === of.text("kind")) ?? "connections";
  return loadWords([{ [kind]: 0 }]).many;
}

function fallPlace(of: Figures): string {
  return of.has("lastGood")
    ? `between ${of.count("lastGood")} and ${of.count("firstBad")} ${unitOf(of)}`
    : `at ${of.count("firstBad")} ${unitOf(of)}, the first level`;
}

function levelSentence(of: Figures): string {
  if (of.has("unsent")) {
    return `${of.count("unsent")} of ${of.count("planned")} requests that were due could not leave, as too many were in flight`;
  }
  return of.has("latenessMs")
    ? `requests left ${of.duration("latenessMs")} late on average, so the generator did not keep up with ${of.count("rate")} requests per second`
    : `${of.count("opened")} of ${of.count("asked")} connections were ever open`;
}

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

function describeMiss(of: Figures): string {
  switch (of.text("because")) {
    case "backlog":
      return "requests piled up";
    case "TARGET_DIED":
      return "the target died";
    default:
      return `${of.text("because")} was missed`;
  }
}

function share(of: Figures): string {
  return `${of.count("count")} of ${of.count("sent")} requests (${of.percent("share")})`;
}

function withoutFullStop(message: string): string {
  return message.trimEnd().replace(/\.$/, "");
}
