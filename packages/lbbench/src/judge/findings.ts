import type { Finding, FindingCode } from "../model/finding.js";
import type { Seen, Told } from "./found.js";
import type { DoubtReason } from "../model/measurement.js";
import { formatRecoveredIn } from "../stats/faults.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { AT_LIMIT, CHANGES, CONCLUSION_ROWS, OF_TARGET, untestedSentence } from "./conclusion-rows.js";
import {
  type Bound,
  type Bounds,
  bytes,
  count,
  describeMiss,
  duration,
  type FindingRow,
  joined,
  loadList,
  loads,
  lookedFor,
  metricText,
  percent,
  quoteFaults,
  rate,
  size,
  things,
  time,
  unitOf,
} from "./finding-figures.js";

const EVERYTHING: Bounds = { throughput: "nothing", latency: "nothing", errors: "nothing" };
const SPEED: Bounds = { throughput: "nothing", latency: "nothing" };
/** Time that was taken away costs throughput and adds to latency. */
const SLOWED: Bounds = { throughput: "least", latency: "most" };
/** Throughput counts ok responses alone. Latency leaves out the requests that failed. */
const FAILURES = {
  // An info where a fault of the scenario is the reason.
  severity: "warning or info",
  of: "failures",
  bounds: { latency: "nothing" },
  badness: ({ share = 0 }: Seen) => share,
} as const;
const ofLimit: FindingRow["bounds"] = (_, severity) => (severity === "error" ? EVERYTHING : {});

/** Of the time that a host took, a process that was never idle may have lost twice its share. */
const MOST_STOLEN = 0.9;

/** From this part of a full machine on a target has no use for what other programs take. */
const MOSTLY_ITS_OWN = 0.8;

/** Figures of so many seconds have mostly settled. */
const SETTLED_S = 3;

const LONGER_STEPS = "Search again with the --duration that TOO_SHORT names.";
const MORE_RUNS = "Run it six times or more at each level, and import the output of all runs together.";
/** At a rate, or where a fault is the reason, other connections do not show where it begins. */
const readLog: FindingRow["remedy"] = ({ rate: asked, connectionRate }, severity) => {
  const isAtLoad = asked === undefined && connectionRate === undefined && severity !== "info";
  return `Read the target's log for that time.${isAtLoad ? " Lower the connections to find the level where it begins." : ""}`;
};

/** How to read a figure that lost time: the throughput of a target that keeps up with a rate is that rate. */
const readAsBound = (asked: number | undefined): string =>
  asked === undefined ? "Read the throughput as a lower bound." : "Read the latency as an upper bound.";

/** What a program does that makes its figure doubtful, and how that bounds it; nothing is known by default. */
const OF_PROGRAMS: ReadonlyMap<string, readonly [sentence: string, bound: Bound]> = new Map(
  Object.entries({
    "whole-seconds": ["a run of N requests ends at its next whole second, so the true throughput is higher", "least"],
    "closed-uncounted": [
      "it counts a connection closed without an answer as no error; more requests may have failed",
      "least",
    ],
    "made-up-latencies": [
      "it adds latencies of its own beside each slow answer, so the percentiles are too high",
      "most",
    ],
    "corrected-latencies": [
      "with a rate (-R) it adds latencies of its own, so no percentile is one of the answers",
      "nothing",
    ],
    "other-lengths": [
      "it counts answers of another length than the first as failures; more or fewer may have failed",
      "nothing",
    ],
    "varying-load": ["the number of users changed, so the figures are of no single load", "nothing"],
  } satisfies Record<DoubtReason, readonly [string, Bound]>),
);

/** A process was kept from running if its event loop was busy for more than this many times its CPU time. */
const USED = 2;

/** Times by which the levels beside a knee may be apart for it to be named by a number. */
const NEAR = 4;

/** By metric, what a change for the worse is, where it is not a higher latency. */
const WORSE: ReadonlyMap<string, readonly [unit: string, worse: string]> = new Map([
  ["throughput", ["%", "less throughput"]],
  ["errors", ["points", "more failed requests"]],
]);

/** The same of faults, whose changes are no ratios; without a change there was no recovery. */
const COSTS: ReadonlyMap<string, (change: number | undefined) => string> = new Map([
  ["lost", (change) => `${things(change, "more request")} lost to the faults than`],
  [
    "recovery",
    (change) =>
      change === undefined
        ? "it recovered from faults less often than"
        : `recovery takes ${duration(change)} longer than with`,
  ],
]);

/** Everything that can be found: a row to a code. `docs/findings.md` is made of it. */
export const FINDINGS: { readonly [Code in FindingCode]: FindingRow<Code> } = {
  ...CONCLUSION_ROWS,
  ALL_FAILED: {
    title: "Nothing was answered as expected",
    severity: "error",
    rule: "Requests were sent, and none was ok. A step that was interrupted while all were in flight does not count.",
    sentence: ({ sent, inFlight }) => {
      if (sent === 0) return "no request was answered or failed before the measurement ended";
      const how = sent !== undefined && sent === inFlight ? "before the measurement ended" : "as expected";
      return `none of ${things(sent, "request")} was answered ${how}`;
    },
    cause:
      "A wrong path, method or port, or a check that does not fit the answers. Where lower levels were answered: overload.",
    remedy:
      "Request the URL once by hand. Correct it, or name the right answers with --expect-status and --expect-body.",
    imported: "Request the URL once by hand and correct the command.",
    of: "overload",
    bounds: SPEED,
    badness: ({ sent = 0 }) => sent,
  },
  BACKEND_DIFFERS: {
    title: "A backend is unlike the others",
    severity: "warning or info",
    rule: "50 answers or more of it took on average twice as long as the median of the others, and 1 ms longer. Or `round-robin` or `random` gave it over a fifth more or less than its weight, beyond chance. In most trials of a level, and at two levels if it can be judged at two; not with faults, nor where policies are compared. An info where backends have different servers or options.",
    sentence: (seen) => {
      const { process = "?", ms, othersMs, share, due, policy } = seen;
      const got = `${percent(share)} of the requests`;
      if (ms === undefined) return `the policy ${policy ?? "?"} gave ${process} ${got} in place of ${percent(due)}`;
      const given = policy === undefined ? `it got ${got}` : `${policy} gave it ${got}`;
      return `answers of ${process} take ${time(ms)} on average, those of the others ${time(othersMs)}; ${given}`;
    },
    cause: "It has other work, less of the machine, or a fault, or the balancer could not always use it.",
    remedy: "Measure that backend alone. The policy least-connections gives a slow one less.",
    badness: ({ ms = 1, othersMs = 1, share = 0, due }) =>
      due === undefined ? ms / othersMs : Math.abs(share / due - 1),
    variant: ({ process, ms }) => `${process} ${ms === undefined ? "share" : "time"}`,
  },
  BACKEND_NOT_USED_AGAIN: {
    title: "A backend is not used again",
    severity: "warning",
    rule: "After a fault its backend was started, resumed or restored. It had less than 80 % of its former share of the requests in every half second until the next fault.",
    sentence: ({ fault, process = "?", lookedMs }) =>
      `after ${quoteFaults(fault)}, ${process} was whole again and did not get its share of the requests${lookedMs === undefined ? "" : ` in ${duration(lookedMs)}`}`,
    cause:
      "The balancer does not ask the backend again, or not soon enough; WebSockets that are kept stay where they are.",
    remedy:
      "Leave more time (--duration). Shorten the time after which the balancer tries a failed backend (nginx `fail_timeout`, HAProxy `inter` and `rise`), or let it check health.",
    badness: ({ lookedMs = 0 }) => lookedMs,
    variant: ({ fault }) => fault,
  },
  BACKENDS_NOT_REUSED: {
    title: "Connections to backends are not used again",
    severity: "warning",
    rule: "With connections of clients kept, the backends of a balancer accepted one for over a fifth of their requests (at least 100, and 10 a client).",
    sentence: ({ accepted, requests, share }) =>
      `the backends accepted ${things(accepted, "connection")} for ${things(requests, "request")} (${percent(share)})`,
    cause: "The balancer keeps no connections to backends, or too few, or they close them.",
    remedy:
      "Let the balancer keep as many as clients have: `keepAlive` of the target, `keepalive` of nginx, `http-reuse` and `pool-max-conn` of HAProxy.",
    badness: ({ share = 0 }) => share,
  },
  BALANCER_REFUSED: {
    title: "The balancer itself refused requests",
    severity: "warning",
    rule: "At least 10 unexpected answers 429, 502, 503, 504, `UNAVAILABLE` or `RESOURCE_EXHAUSTED` beyond the requests that came to the backends. Not with faults.",
    sentence: (seen) =>
      `the balancer answered ${failed(seen)} itself${seen.status === undefined ? "" : `, most often with ${seen.status}`}; no backend got them`,
    cause: "A limit, such as a circuit breaker (Envoy: 1,024) or a full queue, or no backend seems alive.",
    remedy: "Give all balancers the same limits, above the load.",
    badness: ({ share = 0 }) => share,
  },
  BODY_MISMATCH: {
    ...FAILURES,
    title: "Answers with an unexpected body",
    rule: "`mismatched` is above 0.",
    sentence: (seen) =>
      `${failed(seen)} got another body than expected, or something that is not HTTP${seen.code === undefined ? "" : `, most often ${seen.code}`}`,
    cause: "The body contains something that changes (a time, a counter), or an error page comes with status 200.",
    remedy: ({ code }) => {
      if (code === "ERR_HTTP2_NOT_SPOKEN") return "The server speaks no HTTP/2 at that address: leave --http2 out.";
      if (code === "NOT_UPGRADED") return "The server opens no WebSocket at that address: check the path of the URL.";
      return "Compare an answer with --expect-body. Leave the option out if bodies differ for good reasons.";
    },
    imported: "Compare two answers by hand.",
  },
  BYTES_DIFFER: {
    title: "Answers of different size",
    severity: "warning or info",
    rule: "On average one target's answer has over half more bytes than another's, and at most 1 % failed. It is an info where only the heads differ.",
    sentence: (seen) => {
      const { other = "?", engine, otherEngine = "?", reason, received, otherReceived, body, otherBody } = seen;
      const by = engine === undefined ? "" : ` (engine ${engine}, there ${otherEngine})`;
      if (reason === "body")
        return `its answers have a body of ${things(body, "byte")}, those of ${other} ${count(otherBody)}${by}`;
      const whole = `its answers have ${things(received, "byte")}, those of ${other} ${count(otherReceived)}${by}`;
      if (reason === "counting") return `${whole}; only one of the two counts head and body`;
      return reason === "head" ? `${whole}; the bodies are alike` : whole;
    },
    cause:
      "The targets answer with different bodies, a proxy compresses or adds headers, or one engine counts only bodies.",
    remedy: "Do not compare transfer rates. Let the targets answer alike, and measure them with the same engine.",
  },
  CLIFF: {
    title: "It falls off a cliff",
    severity: "info",
    rule: "From `firstBad` on goodput (ok requests/s) is below half of the best before, and was at least 80 % of it at `lastGood`. Where no request fails, three trials have to show it. Where another level is wholly doubtful, more requests have to fail than are ok. Not with faults.",
    sentence: (seen) => {
      if (seen.second !== undefined)
        return `${rampPlace(seen)}, goodput falls to ${percent(seen.remaining)} of its best`;
      const { lastGood, firstBad, kind } = seen;
      const place =
        lastGood === undefined
          ? `at ${loads(firstBad, kind)}, the first level`
          : `between ${count(lastGood)} and ${loads(firstBad, kind)}`;
      return `goodput falls to ${percent(seen.remaining)} of its best ${place}${amount(seen)}`;
    },
    cause: "Something gives way as a whole: a backlog, memory, a crash, or work for requests that have timed out.",
    remedy: "Stay below the last good level. Bound queues and refuse early. Measure the levels in between.",
  },
  COMPARISON_INCONCLUSIVE: {
    title: "A comparison could not be judged",
    severity: "warning",
    rule: "With a margin (`--margin`), it is not known at these levels whether the target is worse by more than that. `because` says why.",
    sentence: (seen) => {
      const { reference = "?", because = "?", planned, ...figures } = seen;
      const why = whyUntested(because, { ...figures, canResume: planned === undefined ? undefined : true });
      return `it is not known whether it is worse than ${reference} by more than ${margin(seen)} %: ${why}`;
    },
    cause: "The trials are too few or differ too much, or another finding makes their figures doubtful.",
    remedy: "Fix the cause named above. Use more --trials, or a longer --duration where the steps are short.",
    imported: `Fix the cause named above. ${MORE_RUNS}`,
  },
  CONNECTIONS_RESET: {
    ...FAILURES,
    title: "Connections were reset",
    rule: "`resets` is above 0.",
    sentence: (seen) => `${failed(seen)} ended with the connection reset`,
    cause:
      "The target, or a proxy in front of it, aborted the connection: overload, a crash, a full backlog, or a limit.",
    remedy: readLog,
  },
  CONNECTIONS_LOST: {
    title: "Connections that were held were lost",
    severity: "warning or info",
    rule: "Of `lbbench hold`: a connection ended that was to be held. An info where faults were done.",
    sentence: ({ lost, established, closed = 0, reset = 0, givenUp = 0 }) => {
      const ways = joined(
        ", ",
        closed > 0 && `${count(closed)} closed in order`,
        reset > 0 && `${count(reset)} reset`,
        givenUp > 0 && `${count(givenUp)} given up after a timeout or a broken answer`,
      );
      return `${count(lost)} of ${things(established, "connection")} were lost: ${ways}`;
    },
    cause:
      "Closed in order: the server lets none idle for so long, or limits the requests or the number of connections. Reset: a process died, or a limit was met.",
    remedy: ({ everyMs }) =>
      `Raise the keep-alive timeout of the server above ${everyMs === undefined ? "the interval" : duration(everyMs)}, or let each connection ask more often (--every).`,
    badness: ({ lost = 0 }) => lost,
  },
  CONNECTIONS_STARVED: {
    title: "Connections that were hardly served",
    severity: "warning",
    rule: "Some connections had no answer in the 10 s before measuring began, or at all. Or throughput times mean latency gives less than 90 % of them (80 % where the start counts), and requests in flight at the end and the generator's time do not explain the rest.",
    sentence: ({ answered, asked }) =>
      `only ${rate(answered)} of ${things(asked, "connection")} were being served; the waiting time of the others is not in the latency figures`,
    cause: "A busy event loop accepts few new connections at a time. The others wait in the backlog.",
    remedy: "Use fewer connections, or a longer --duration. The true latency is at least what was measured.",
    imported: "Use fewer connections, or let the load generator run for longer, and import its output.",
    bounds: { latency: "least" },
    badness: ({ answered = 0, asked = 0 }) => 1 - answered / asked,
  },
  CONNECT_ERRORS: {
    ...FAILURES,
    title: "Connections could not be made",
    rule: "`connectErrors` is above 0.",
    sentence: (seen) =>
      `${failed(seen)} got no connection${seen.code === undefined ? "" : `, most often because of ${seen.code}`}`,
    cause: "ECONNREFUSED: nothing listens there, or the backlog is full. ENOTFOUND: the host name is wrong.",
    remedy: ({ code }) => {
      if (code === "ERR_SSL_WRONG_VERSION_NUMBER")
        return "The server speaks no TLS at that address: use http:// in place of https://, or another port.";
      if (code === "ERR_HTTP2_NOT_SPOKEN")
        return "The server speaks no HTTP/2 at that address, which gRPC needs: check the port.";
      return "Check that the target listens at that address. Raise its backlog, or lower the connections.";
    },
  },
  CORES_DIFFER: {
    title: "Balancers do not have the same cores",
    severity: "warning",
    rule: "Of several balancers no other program has as many `workers` (`balanced` has 1), or it used over a quarter more cores.",
    sentence: ({ other, workers, otherWorkers, cores }) =>
      other === undefined
        ? `the balancer used ${rate(cores)} cores with ${things(workers, "worker")}`
        : `its balancer has ${things(workers, "worker")}, that of ${other} ${count(otherWorkers)}`,
    cause: "The option `workers` differs, or there are threads beside the workers.",
    remedy: "Compare processor time a request, or give all of them as many workers.",
    badness: ({ cores = 0 }) => cores,
    variant: ({ other }) => (other === undefined ? "used" : "workers"),
  },
  DEGRADES: {
    title: "It degrades",
    severity: "info",
    rule: "From `firstBad` on goodput is below 80 % of the best before, without the jump of [CLIFF](#cliff). Not told with faults, where all trials of a level are doubtful, or where doubts of lower levels leave room for as much.",
    sentence: (seen) =>
      seen.second === undefined
        ? `goodput falls from ${loads(seen.firstBad, seen.kind)} on${amount(seen)}, at worst to ${percent(seen.remaining)} of its best`
        : `${rampPlace(seen)}, goodput falls, at worst to ${percent(seen.remaining)} of its best`,
    cause: "More load costs more than it brings: contention, memory pressure, work for requests that have given up.",
    remedy: "Take the load before the fall for the limit. Look for what grows with the load, and bound it.",
  },
  DRIFT: {
    title: "The throughput drifted",
    severity: "warning",
    rule: "In a closed loop of at least 7 s the two halves differ by 5 % or more, and by more than the noise of the seconds (t test, 99.8 %).",
    sentence: ({ change = NaN }) =>
      `the throughput of the second half is ${size(change)} % ${change < 0 ? "lower" : "higher"} than that of the first`,
    cause:
      "Higher: the target was still warming up. Lower: something grows, such as a queue, or the machine slows down.",
    remedy: "Higher: use a longer --warmup. Lower: use a longer --duration, and look for what grows.",
    badness: ({ change = 0 }) => Math.abs(change),
    variant: ({ change = 0 }) => (change < 0 ? "falls" : "rises"),
  },
  FAST_FAILURES: {
    title: "Failed answers are quicker than good ones",
    severity: "info",
    rule: "Mixed with failed answers, the median or the mean would be 10 % lower or more.",
    sentence: (seen) => {
      const { count: those, answers, share, failedP50, mixedP50, p50, mixedMean, mean, lighter, lighterP50 } = seen;
      const means = mixedMean === undefined ? "" : `, the mean ${time(mixedMean)} in place of ${time(mean)}`;
      const faster = lighter === undefined ? "" : `, less than at ${count(lighter)} (${time(lighterP50)})`;
      return `${count(those)} of ${things(answers, "answer")} (${percent(share)}) failed, half of them within ${time(failedP50)}; mixed with the good ones the median would be at most ${time(mixedP50)} in place of ${time(p50)}${means}${faster}`;
    },
    cause: "Errors are cheap to send, so they make latency look better in tools that take all answers alike.",
    remedy:
      "Read latency, which is of ok responses, beside the share that failed. The last level without failures is the limit.",
    badness: ({ share = 0 }) => share,
  },
  FAULT_LOST: {
    title: "A fault cost requests",
    severity: "info",
    rule: "Requests failed between the fault and the next one that harms, or the end. Recovery lasts until goodput is within 5 % of what it was and at most 0.1 % fail, for good.",
    sentence: ({ fault, count: lost, share, recoveryMs, slowestMs }) =>
      `${quoteFaults(fault)} cost ${things(lost, "request")} (${percent(share)})${recoveryMs === undefined ? "" : `; it recovered ${formatRecoveredIn(recoveryMs, slowestMs)}`}`,
    cause:
      "The balancer goes on sending requests to a backend that is gone, or does not repeat those that failed there.",
    remedy:
      "Let the balancer repeat idempotent requests on another backend, check health often, and take a failed backend out at once.",
    badness: ({ count: lost = 0 }) => lost,
    variant: ({ fault }) => fault,
  },
  FAULT_NOT_APPLIED: {
    title: "A fault could not be done",
    severity: "error",
    rule: "A fault of the scenario did not take effect, or it was not seen to within 10 s.",
    sentence: ({ fault, message }) => `${quoteFaults(fault)} could not be done: ${messageOf(message)}`,
    cause: "The process was gone already, did not come back, or may not be signalled.",
    remedy: "Read the message. Check the order of the faults, and leave more time between them.",
    bounds: EVERYTHING,
    variant: ({ fault }) => fault,
  },
  FAULT_SURVIVED: {
    title: "A fault cost no request",
    severity: "info",
    rule: "No request failed between the fault and the next one that harms, or the end, and goodput came back. Not of idle backends.",
    sentence: ({ fault }) => `${quoteFaults(fault)} cost no request`,
    cause: "Other backends answered, or the requests waited: see p99 during the fault.",
    remedy: "Nothing.",
    variant: ({ fault }) => fault,
  },
  FD_LIMIT: {
    title: "Too few file descriptors",
    severity: "error or warning",
    rule: "Error: `EMFILE` or `ENFILE` occurred in the load generator. Warning: a process had 80 % of its descriptors open, or is expected to need too many.",
    sentence: (seen) => {
      const { fdLimit, used, needed, process, connections, count: times, code = "?" } = seen;
      const limit = fdLimit === undefined ? "" : `; the limit is ${count(fdLimit)}`;
      if (used !== undefined) return `process ${process ?? "?"} had ${count(used)} file descriptors open${limit}`;
      if (needed !== undefined) {
        const held = things(connections, "connection");
        const who = process === undefined ? `a process that holds ${held}` : `process ${process}, at ${held},`;
        return `${who} needs about ${count(needed)} file descriptors${limit}`;
      }
      // The first words clear the server.
      return `the client (the load generator), not the server, ran out of file descriptors ${things(times, "time")} (${code})${limit}`;
    },
    cause: "Every connection takes a file descriptor in the generator and in the target; a balancer takes two.",
    remedy: "Raise the limit in the shell that starts lbbench (ulimit -n 65536), or use fewer connections.",
    of: "limit",
    bounds: ofLimit,
    badness: ({ needed = 0, count: times = 0, used = 0 }) => needed + times + used,
  },
  FIGURE_DOUBTFUL: {
    title: "A figure is not what it seems",
    severity: "warning",
    rule: "The program is known to count in another way: `because` says how.",
    sentence: ({ program = "?", because = "?" }) => `${program}: ${OF_PROGRAMS.get(because)?.[0] ?? because}`,
    cause: "The program counts in a way that its output does not show.",
    remedy: "Measure with lbbench sweep, which does not count in that way.",
    bounds: ({ figure = "", because = "" }) => ({ [figure]: OF_PROGRAMS.get(because)?.[1] ?? "nothing" }),
    variant: ({ figure, because }) => `${figure} ${because}`,
  },
  FIGURE_NOT_TOLD: {
    title: "A figure is not told",
    severity: "info",
    rule: "Some answers were ok, and the program tells no latency of these alone.",
    sentence: ({ program = "?", figure = "?", ok, sent }) =>
      `${program} does not tell the ${figure} of ${things(ok, "ok answer")}${ok === sent ? "" : " apart from that of others"}`,
    cause: "The program mixes the times of failed requests with those of good ones, or rounds them to nothing.",
    remedy: "Use an engine that tells it (leave out --engine), or a level at which nothing fails.",
    imported: "Import the output of a level at which nothing fails, or measure with lbbench sweep, which tells it.",
    bounds: { latency: "nothing" },
  },
  GENERATOR_SATURATED: {
    title: "The load generator was the limit",
    severity: "warning",
    rule: "The busiest thread or the event loop of a generator was at 95 % or more, or all cores of a worker's machine were. On a full machine only if it had its core. `fasterEngine`: the engine of lbbench that sends the same load with less processor time.",
    sentence: (seen) => {
      const { process = "?", worker, host, cpu = 0, busiestThread, eventLoopUtilization, machineCpu = 0 } = seen;
      const name =
        worker === undefined
          ? `process ${process}`
          : `worker ${worker}${host === undefined || host === worker ? "" : ` on ${host}`}`;
      if (machineCpu > Math.max(cpu, eventLoopUtilization ?? 0))
        return `all cores of the machine of ${name} were busy (${percent(machineCpu)})`;
      // The loop counts as busy while its process waits for a core.
      if (eventLoopUtilization !== undefined && Math.max(cpu, busiestThread ?? 0) * USED < eventLoopUtilization)
        return `${name} was kept from running: its event loop was busy for ${percent(eventLoopUtilization)} of the time, and it got ${percent(seen.cpu)} of a core`;
      const thread = busiestThread === undefined ? "" : `, busiest thread ${percent(busiestThread)}`;
      const loop = eventLoopUtilization === undefined ? "" : `, event loop ${percent(eventLoopUtilization)}`;
      return `${name} was busy all the time (CPU ${percent(seen.cpu)}${thread}${loop})`;
    },
    cause: "The target answers faster than the generator can ask, or other programs take the time of its machine.",
    remedy: ({ fasterEngine, rate: asked, connectionRate }) =>
      `Use more --generators if there are cores for them, more --workers, or ${describeFaster(fasterEngine)}. ${readAsBound(asked ?? connectionRate)}`,
    of: "generator",
    // How much it leaves unasked is not known.
    bounds: SLOWED,
    badness: ({ cpu = 0, eventLoopUtilization = 0, machineCpu = 0 }) => Math.max(cpu, eventLoopUtilization, machineCpu),
  },
  HOST_BUSY: {
    title: "The host took processor time away",
    severity: "warning",
    rule: "The machine is virtual, and its host gave 5 % or more of the time of its cores to others (`steal`).",
    sentence: ({ steal }) => `the host of this virtual machine gave ${percent(steal)} of its processor time to others`,
    cause: "Other machines on the same host were busy.",
    remedy: ({ rate: asked, connectionRate }) =>
      `Measure when the host is quieter, or on a machine of its own. ${readAsBound(asked ?? connectionRate)}`,
    of: "moment",
    bounds: SLOWED,
    lost: ({ steal = 0 }) => 1 / (1 - Math.min(steal, MOST_STOLEN)) ** 2,
    badness: ({ steal = 0 }) => steal,
  },
  IDENTICAL_FIGURES: {
    title: "Figures are identical, digit for digit",
    severity: "warning",
    rule: "All latency figures of two steps, or of two targets, agree in at least 20 digits together.",
    sentence: ({ target, other = "?", copied, figures }) =>
      `${target === other ? `the latencies of ${things(copied, "step")} are those of another of its steps` : `its latencies are those of ${other}`}, digit for digit (${count(figures)} different numbers)`,
    cause:
      "Measurements never agree so well. A table was copied, an old output was read again, or figures were made up.",
    remedy: "Find out which of the two is the original, and measure the other again.",
  },
  INTERRUPTED: {
    title: "Interrupted",
    severity: "info",
    rule: "The state of the step is `aborted`.",
    sentence: () => "the measurement was interrupted and holds what was counted until then",
    cause: "The run was stopped from outside, by Ctrl-C or by its caller.",
    remedy: "Repeat the run if the missing part matters.",
    of: "moment",
    bounds: EVERYTHING,
  },
  KEEPALIVE_REFUSED: {
    title: "The server closes connections",
    severity: "info",
    rule: "Connections were to be kept, and at least one in ten answers needed a new one without a failure.",
    sentence: ({ established, answers, opened }) =>
      `${things(established, "connection")} for ${things(answers, "answer")}, instead of ${count(opened)} that stay open`,
    cause:
      "The server or a proxy does not keep connections alive, or only for a few requests. Every new one costs time.",
    remedy: "Switch keep-alive on in the server. Use --no-keepalive if this is what is to be measured.",
    badness: ({ established = 0 }) => established,
  },
  KNEE: {
    title: "Where throughput stops growing",
    severity: "info",
    rule: "The plateau of throughput, divided by the slope of the first levels (Denning and Buzen 1978). At least two of three levels are on the plateau. `reached` is where throughput comes within 10 % of its highest. Not told where all trials of a level are doubtful, such as `TOO_SHORT`.",
    sentence: (seen) => {
      const { kind, throughput, second, reached = 0, above = 0, below = 0, bottleneck = "", busyAt } = seen;
      const most = `${rate(throughput)} requests/s`;
      const limit = AT_LIMIT.get(bottleneck);
      const where = busyAt === undefined || bottleneck === "none" ? "" : ` (at ${loadList(busyAt, kind)})`;
      const limited = limit === undefined ? "" : `; ${limit}${where}`;
      const when = second === undefined ? "" : ` (second ${count(second)})`;
      if (reached > above)
        return `throughput levels off at ${most}, and has come to 90 % of that at ${loads(reached, kind)}${amount(seen)}${when}${limited}`;
      const waits = seen.then === undefined && seen.dips === undefined ? "; more load only adds waiting" : "";
      const isFar = second === undefined && above > NEAR * below;
      const place = isFar
        ? `between ${count(seen.below)} and ${loads(seen.above, kind)}`
        : `at about ${count(seen.knee)} ${unitOf(kind)}`;
      return `throughput stops growing ${place}${amount(seen)}${when}, at ${most}${waits}${limited}`;
    },
    cause: "Something is fully used from there on: the part that is named, else a lock, a pool or the network.",
    // Remedies of several targets stand one after the other.
    remedy: ({ fasterEngine }) =>
      fasterEngine === undefined
        ? "Run below the knee, or choose the load by the latency that you accept. Measure closer levels to find it more exactly."
        : `Measure again with more --generators, or with ${describeFaster(fasterEngine)}.`,
  },
  LEVEL_NOT_REACHED: {
    title: "Less load than asked for",
    severity: "warning",
    rule: "Fewer connections were opened than asked for. At a rate: requests could not leave, or left later than the next was due on average.",
    sentence: ({ unsent, planned, latenessMs, rate: asked, opened, asked: wanted, connectionRate }) => {
      const orEnded = connectionRate === undefined ? "" : ", or their connections had ended";
      if (unsent !== undefined)
        return `${count(unsent)} of ${things(planned, "due request")} could not leave, as too many were in flight${orEnded}`;
      return latenessMs === undefined
        ? `${count(opened)} of ${things(wanted, "connection")} opened`
        : `requests left ${duration(latenessMs)} late on average; the generator did not keep up with ${things(asked, "request")} per second`;
    },
    cause: "The target refuses or delays connections, or the time was too short. At a rate: one side is too slow.",
    remedy:
      "Raise the target's limits or the duration. At a rate: lower it, raise --max-in-flight, or use more --generators.",
    imported:
      "Raise the target's limits, or let the load generator run longer. The figures belong to the load that was there.",
    of: "generator",
    bounds: SPEED,
    badness: ({ planned = 0, unsent = 0, asked = 0, opened = 0, latenessMs = 0 }) => {
      if (planned > 0) return unsent / planned;
      return asked > 0 ? 1 - opened / asked : latenessMs;
    },
    variant: ({ unsent, latenessMs }) =>
      unsent !== undefined ? "unsent" : latenessMs === undefined ? "opened" : "late",
  },
  LIMIT_DOUBTFUL: {
    title: "The limit may not be the target's",
    severity: "warning",
    rule: "A level did not hold, by a figure that another finding (`doubt`) makes doubtful.",
    sentence: ({ because = "?", doubt = "?" }) => `${describeMiss(because)}, but ${doubt} makes that figure doubtful`,
    cause: "The generator or machine was at its limit, or the step too short.",
    remedy: ({ doubt }) =>
      doubt === "TOO_SHORT"
        ? LONGER_STEPS
        : "Use a faster engine, more --generators or another machine, and search again.",
  },
  LIMIT_FOUND: {
    title: "The limit was found",
    ...OF_TARGET,
    rule: "`held` held every threshold in enough trials, and `broken`, at most 2 % (`--resolution`) or one above it, did not. Failed requests break a level unless a threshold allows them; at a rate so does a backlog of 2 % of the time.",
    sentence: ({ kind, held, broken, because = "?", beyond, beyondHeld, trials }) => {
      const further =
        beyond === undefined
          ? ""
          : `; beyond, ${count(beyondHeld)} of ${things(trials, "trial")} held ${loads(beyond, kind)}`;
      return `${loads(held, kind)} held, ${count(broken)} did not (${describeMiss(because)})${further}`;
    },
    cause: "The search went up until a level did not hold, then halved the way between.",
  },
  LIMIT_NOT_FOUND: {
    title: "The limit was not found",
    severity: "warning",
    rule: "A search ended without a level that did not hold (`unbounded`), could not decide one (`unclear`), or was interrupted (`unfinished`).",
    tellsPlace: true,
    sentence: ({ kind, reason = "?", because = "?", held, last }) => {
      const upTo = held === undefined ? "nothing is known to hold" : `${loads(held, kind)} held`;
      if (reason === "unbounded") return `${upTo}, which is the most that was tried`;
      if (reason === "unclear")
        return `${upTo}; it cannot be said whether ${count(last)} does (${describeMiss(because)})`;
      return reason === "unfinished"
        ? `${upTo}; the search was cut short at ${count(last)}`
        : `the search ended: ${reason}`;
    },
    cause: "The target holds more than was tried, the numbers of a level do not decide, or the search was cut short.",
    remedy: ({ reason, because }) => {
      if (reason === "unbounded") return "Raise --most.";
      if (reason === "unclear" && because === "TOO_SHORT") return LONGER_STEPS;
      if (reason === "unclear") return "Fix the cause that is named, and search again.";
      if (reason === "unfinished") return "Go on with --resume.";
      return "Raise --most, fix the cause that is named, or go on with --resume.";
    },
  },
  LITTLES_LAW: {
    title: "Latency and throughput contradict each other",
    severity: "error",
    rule: "In a closed loop, throughput times mean latency differs from the connections by over 10 %. What connecting and requests in flight explain is allowed for.",
    sentence: ({ kind, computed, asked }) =>
      kind === "users"
        ? `throughput times mean latency makes ${rate(computed)} users on average, but there were ${rate(asked)}`
        : `throughput times mean latency makes ${rate(computed)} connections, but there were ${count(asked)}`,
    cause: "More: latencies are counted wrongly. Fewer: requests hung until the end, or the engine has a fault.",
    remedy: "Use a --duration above --timeout. If that changes nothing, report this fault with the result.json.",
    imported:
      "Check that the output is whole and of one run, and the number of connections. Measure with lbbench sweep to see which figure is false.",
    of: "counting",
    bounds: SPEED,
    badness: ({ computed = 0, asked = 0 }) => Math.abs(computed / asked - 1),
  },
  MACHINE_SATURATED: {
    title: "The whole machine was busy",
    severity: "warning",
    rule: "All cores together were busy for 95 % of the time or more. `ofTarget` is the part of that time that the target had. `headroom`: with all of it, or with a whole core for each of its threads if that is less, the target could have worked so many times as fast at the most. `process`: a generator that had to wait for a core.",
    sentence: ({ machine, ofTarget, process, cpu }) => {
      const target = ofTarget === undefined ? "" : `, and ${percent(ofTarget)} of that was the target`;
      const waited = process === undefined ? "" : `; ${process} had to wait for a core (it got ${percent(cpu)} of one)`;
      return `all cores together were ${percent(machine)} busy${target}${waited}`;
    },
    cause: "All programs of the machine share its cores: generator, balancer, backends and whatever else runs.",
    remedy: ({ ofTarget = 0 }) =>
      ofTarget > MOSTLY_ITS_OWN
        ? "The target itself fills the machine: generate the load on another one (--workers), or use fewer processes."
        : "Close other programs, use fewer processes, or put the target on another machine.",
    of: "moment",
    bounds: SLOWED,
    // Files of before lack the headroom.
    lost: ({ ofTarget = 0, headroom = 1 / ofTarget }) => headroom,
    badness: ({ machine = 0 }) => machine,
  },
  MEMORY_GROWS: {
    title: "Memory grows with the requests",
    severity: "warning",
    rule: "Resident memory of a backend or balancer grew by over 500 B a request, 64 MB and 100 kB a connection, to the end, in most steps and starts. Only the second half of a step counts. `requests`: its own, without warm-ups. Not told with faults, in ramps, behind a rate, and of steps below 0.3 s.",
    sentence: ({ process = "?", requestBytes, fromBytes, toBytes, requests }) =>
      `memory of ${process} grew from ${bytes(fromBytes)} to ${bytes(toBytes)} over ${things(requests, "measured request")}, in the second half of each step by ${bytes(requestBytes)} a request`,
    cause: "Something is kept for each request: a leak, or a cache without a limit.",
    remedy: "Run for longer to see whether it ends. Compare two heap snapshots of the process.",
    badness: ({ requestBytes = 0 }) => requestBytes,
    variant: ({ process }) => process,
  },
  NON_2XX: {
    ...FAILURES,
    title: "Answers with an unexpected status",
    rule: "`non2xx` is above 0: a status that is not among the expected ones (default: `2xx`).",
    sentence: (seen) =>
      `${failed(seen)} got ${seen.expected === undefined ? "an unexpected status" : `a status other than ${seen.expected}`}${seen.status === undefined ? "" : `, most often ${seen.status}`}`,
    cause:
      "A redirect, which is not followed (3xx), a wrong path or method (4xx), a target that fails under this load (5xx), or refuses what is too much (503, 429).",
    remedy:
      "Request the URL once by hand. If the status is right, name it with --expect-status; if not, read the target's log. Where refusing is meant, the last level without it is the limit.",
    imported: "Request the URL once by hand. If the status is wrong, read the target's log.",
  },
  NOTHING_HELD: {
    title: "Not even the smallest load held",
    severity: "error",
    rule: "A search found that the least did not hold, as [LIMIT_FOUND](#limit_found) means it. The verdict is `fail`.",
    tellsPlace: true,
    sentence: ({ kind, broken, because = "?" }) => `not even ${loads(broken, kind)} held (${describeMiss(because)})`,
    cause: "The threshold asks for more than the target does at rest, or the target does not work.",
    remedy: "Request the URL once by hand, then set the thresholds to what the target has to do.",
  },
  NOT_RECOVERED: {
    title: "No recovery from a fault",
    severity: "warning",
    rule: "Until the next fault that harms, or the end, goodput never came back to within 5 % of what it was with at most 0.1 % failing.",
    sentence: ({ fault, lookedMs }) => `there was no recovery from ${quoteFaults(fault)} ${lookedFor(lookedMs)}`,
    cause:
      "The backends that are left cannot bear the load, the balancer goes on using the one that is gone, or the time was too short.",
    remedy: "Leave more time after the fault (--duration), lower the rate (--rate), or let the balancer check health.",
    badness: ({ lookedMs = 0 }) => lookedMs,
    variant: ({ fault }) => fault,
  },
  NOT_WARM: {
    title: "The target was not warm",
    severity: "warning",
    rule: "The warm-up is `auto`, and the throughput was not steady at its limit.",
    sentence: ({ warmupMs }) => `the throughput was not steady after ${duration(warmupMs)} of warm-up`,
    cause: "The target compiles code or fills caches for longer, or its throughput never settles.",
    remedy: "Set --warmup to a longer time. Read the figures as those of a target that is not warm yet.",
    badness: ({ warmupMs = 0 }) => warmupMs,
  },
  NO_WARMUP: {
    title: "No warm-up",
    severity: "info",
    rule: "The warm-up is 0.",
    sentence: () => "the target was measured without a warm-up",
    cause:
      "The first requests are slower, because code is not yet compiled and caches are empty, and they are counted.",
    remedy: "Set --warmup to 1s or more, unless the cold start is what is to be measured.",
  },
  PORTS_EXHAUSTED: {
    title: "No free local ports",
    severity: "error or warning",
    rule: "Error: `EADDRNOTAVAIL` occurred in the load generator. Warning: 80 % of the ports to one destination were taken, or too few are expected.",
    sentence: (seen) => {
      const { process, taken, ports, destination = "?", needed, count: times, first, last } = seen;
      const who = process === "balancer" ? "the balancer" : "the client (the load generator)";
      if (taken !== undefined)
        return `${who} had ${count(taken)} of ${count(ports)} local ports taken for connections to ${destination}`;
      if (needed !== undefined)
        return `${who} may need ${count(needed)} local ports at a time; there are ${count(ports)} for connections to one destination`;
      const range = first === undefined ? "" : ` between ${first} and ${last ?? "?"}`;
      return `${who}, not the server, ran out of local ports: ${things(times, "connection")} found none free${range}`;
    },
    cause:
      "A connection takes a local port of the side that opens it. If that side closes it first, the port rests for a minute (TIME_WAIT).",
    remedy:
      'Keep connections alive, also from the balancer to its backends. Widen the range (sysctl -w net.ipv4.ip_local_port_range="1024 65535"), or wait a minute between runs.',
    of: "limit",
    bounds: ofLimit,
    badness: ({ count: times = 0, taken = 0, needed = 0 }) => times + taken + needed,
    variant: ({ process }) => process,
  },
  REQUESTS_DROPPED: {
    ...FAILURES,
    title: "Connections closed without an answer",
    rule: "`dropped` is above 0.",
    sentence: (seen) => `${failed(seen)} lost the connection before the answer was complete`,
    cause: "A worker that crashed or was restarted, an overload policy that drops requests, or a keep-alive timeout.",
    remedy: readLog,
  },
  REQUESTS_FAILED: {
    ...FAILURES,
    title: "Requests failed, it is not told how",
    rule: "`unclassified` is above 0.",
    sentence: (seen) => `${failed(seen)} failed, and ${seen.program ?? "the load generator"} does not tell how`,
    cause:
      "The program counts all ways of failing together. To ab an answer of another length than the first is a failure, too.",
    remedy: "Measure the level with an engine that tells failures apart (leave out --engine).",
    imported: "Read what the load generator printed, and the target's log. lbbench sweep tells failures apart.",
  },
  REQUESTS_LOST: {
    title: "Requests do not add up",
    severity: "error",
    rule: "`sent` is not the sum of all outcomes, or the balancer passed on fewer requests than were answered.",
    sentence: ({ counted, completed, sent, accounted }) =>
      counted === undefined
        ? `${things(sent, "request")} sent, but ${count(accounted)} accounted for`
        : `${things(completed, "request")} answered, but the balancer passed on ${count(counted)}`,
    cause: "A fault in the counting of the engine or the balancer, or requests that went to something else.",
    remedy: "Check that nothing else uses the target's address. If so, report this fault with the result.json.",
    imported: "Check that the output is whole and of one run. lbbench sweep accounts for every request.",
    of: "counting",
    bounds: EVERYTHING,
    badness: ({ sent = 0, accounted = 0, completed = 0, counted = 0 }) =>
      Math.abs(sent - accounted) + completed - counted,
    variant: ({ counted }) => (counted === undefined ? "by the engine" : "by the balancer"),
  },
  SHEDS: {
    title: "It refuses what is too much",
    severity: "info",
    rule: "From `firstBad` on at least 1 % fail, four in five of these are refused, and goodput is at least 80 % of its best, or lower by no more than noise (`remaining` is its lowest share). At a lower level fewer fail. Not with faults.",
    sentence: (seen) => {
      const { second, firstBad, kind, remaining } = seen;
      const place = second === undefined ? `from ${loads(firstBad, kind)} on${amount(seen)}` : rampPlace(seen);
      if (remaining === undefined) return `${place}, requests are refused`;
      const kept = remaining < 1 ? `at ${count(Math.floor(remaining * 100))} % of its best or more` : "at its best";
      const ofThree = second === undefined ? "" : " (medians of three seconds)";
      return `${place}, requests are refused, while goodput stays ${kept}${ofThree}`;
    },
    cause: "A limit set on purpose, such as a bounded queue. Where connections are closed, perhaps a crash.",
    remedy: "Raise the limit only if there is capacity left. Clients should wait before they try again.",
  },
  SINGLE_TRIAL: {
    title: "A single trial",
    severity: "warning",
    rule: "The scenario, unless of `hold`, has one trial. Thresholds are judged all the same.",
    sentence: () => "everything was measured once",
    cause: "One run does not tell how much the figures vary, so no single level shows a difference.",
    remedy: "Use --trials 6 or more to compare targets, or this run with another.",
    imported: MORE_RUNS,
  },
  STALLS: {
    title: "The target paused",
    severity: "warning",
    rule: "In some of 4 seconds or more, the longest answer took over 100 ms and ten times as long as usual, or under a quarter of the usual answers came.",
    sentence: ({ seconds, of, worstMs, usualMs, least, usual }) => {
      const what = joined(
        "; ",
        worstMs !== undefined &&
          `the slowest answer took up to ${duration(worstMs)}; in a usual second it takes ${duration(usualMs)}`,
        least !== undefined && `as few as ${things(least, "answer")} came; in a usual second ${count(usual)} do`,
      );
      return `in ${count(seconds)} of ${things(of, "second")} ${what || "requests had to wait"}`;
    },
    cause: "A garbage collection, work that blocks the event loop, a lock, a disk, or a host that paused this machine.",
    remedy:
      "Look at the chart over time, and at the target's log. Compare with an open loop (-r), which counts every request that was due.",
    badness: ({ worstMs = 0, usual = 0, least = 0 }) => worstMs + usual - least,
  },
  START_REPEATED: {
    title: "The target had to be started once more",
    severity: "info",
    rule: "The first start failed or the target had ended, and the second start succeeded.",
    sentence: ({ message }) => `the target had to be started once more: ${messageOf(message)}`,
    cause: "Something was still in the way, another target has the same port, or the target does not always start.",
    remedy: "Read the message. If this happens often, run the target alone and find out why it does not start.",
  },
  STEP_FAILED: {
    title: "The step failed",
    severity: "error",
    rule: "The state of the step is `failed`, and no other finding names the reason.",
    sentence: ({ code = "?", message }) => `the step failed with ${code}: ${messageOf(message)}`,
    cause: "The message says what was expected and what came.",
    remedy: "Correct what the message names and run again.",
    imported: "Correct what the message names, run it again and import its output.",
    bounds: EVERYTHING,
    variant: ({ code }) => code,
  },
  STEP_REPEATED: {
    title: "The step was measured once more",
    severity: "info",
    rule: "With `--retry-lost`, a worker was lost in the step. All workers were there again, and the step was repeated. Its figures are those of the second time.",
    sentence: ({ message }) => `the step was measured once more: ${messageOf(message)}`,
    cause: "A worker crashed or was stopped, or the network was cut for a moment.",
    remedy: "Read what the worker printed if this happens often. The target had the load of the first time as well.",
  },
  STOPPED_EARLY: {
    title: "Not all levels were measured",
    severity: "info",
    rule: "A step met a stop rule (`--stop-on`), and there are higher levels.",
    sentence: ({ skipped, rule = "?", actual, metric }) =>
      `the stop rule ${rule} was met (${metricText(actual, metric)}), so ${things(skipped, "higher level")} ${skipped === 1 ? "was" : "were"} not measured, or not in every trial`,
    cause: "The target was at its limit, and the sweep was asked to stop there.",
    remedy: "Nothing, if that is far enough. Else leave out --stop-on, or allow more with it.",
  },
  TARGET_DIED: {
    title: "The target died",
    severity: "error",
    rule: "The error of the step is `TARGET_DIED`. What was counted until then is kept.",
    sentence: ({ atUsers, second, message }) =>
      `the target ended while it was measured${atUsers === undefined ? "" : `, in second ${count(second)} with ${things(atUsers, "user")}`}: ${messageOf(message)}`,
    cause: "The target crashed, ran out of memory, or was stopped by something else.",
    remedy: "Read its output and log. Find the level it survives with fewer connections.",
    of: "overload",
    bounds: EVERYTHING,
  },
  THRESHOLD_FAILED: {
    title: "A threshold was not met",
    severity: "error",
    rule: "The metric of a step violates the threshold, and nothing makes it doubtful. The verdict is `fail`.",
    sentence: ({ threshold = "?", actual, metric }) =>
      `threshold ${threshold} does not hold: ${metricText(actual, metric)}`,
    cause: "The target is slower, or fails more often, than was asked of it.",
    remedy: "Look for the bottleneck of that step, or set the threshold to what the target has to do.",
  },
  THRESHOLD_INCONCLUSIVE: {
    title: "A threshold could not be judged",
    severity: "warning",
    rule: "There is no value, or another finding (`because`) makes it doubtful in the [direction](#directions) that matters.",
    sentence: ({ threshold = "?", because = "?", actual, metric }) =>
      `threshold ${threshold} cannot be judged: ${whyUntested(because)}${actual === undefined ? "" : `; measured: ${metricText(actual, metric)}`}`,
    cause: "Another finding of the same step says that the figure means less than it seems.",
    remedy: "Fix the cause named above and run again.",
  },
  TIMEOUTS: {
    ...FAILURES,
    title: "Requests timed out",
    rule: "`timedOut` is above 0.",
    sentence: (seen) =>
      `${failed(seen)} had no complete answer within ${seen.timeoutMs === undefined ? "the timeout" : duration(seen.timeoutMs)}`,
    cause: "The target hangs, or its queue is longer than the timeout allows.",
    remedy: "Look for requests that never end. Raise --timeout only if clients would wait as long.",
    imported: "Look for requests that never end.",
  },
  TLS_NOT_VERIFIED: {
    title: "The certificate was not checked",
    severity: "info",
    rule: "The target is an https URL, and the engine cannot verify certificates. Not told with `--insecure`.",
    sentence: () => "the engine does not check the certificate of an https target",
    cause: "The engine cannot switch verification on. Encryption and its cost are real all the same.",
    remedy:
      "Nothing, if you know the address. Else use an engine of lbbench, with NODE_EXTRA_CA_CERTS for your own CA.",
  },
  TOO_SHORT: {
    title: "The measurement was too short",
    severity: "warning",
    rule: "Fewer than two answers of each connection, or 100 in less than 950 ms. Where measuring [begins with the first request](methodology.md#when-measuring-begins): less than 950 ms too.",
    sentence: ({ elapsedMs, minimumMs }) =>
      `it lasted ${duration(elapsedMs)}, less than the ${duration(minimumMs)} that figures need to settle`,
    cause:
      "Too few answers: the start, single pauses and what was cut off at the end weigh more than the target itself.",
    remedy: ({ minimumMs = 0 }) =>
      `Use more --requests, or --duration ${Math.max(SETTLED_S, Math.ceil(minimumMs / 1000))}s.`,
    imported: `Let the load generator run for longer, ${SETTLED_S} seconds at least, and import its output.`,
    // Where all began together, what is cut off at the end has waited longer than what was answered.
    bounds: ({ cutOff }) => ({ throughput: "chance", latency: cutOff === 1 ? "least" : "chance" }),
    badness: ({ elapsedMs = 0, minimumMs = 0 }) => minimumMs - elapsedMs,
  },
  TRIALS_DISAGREE: {
    title: "Trials disagree",
    severity: "warning",
    rule: "The standard deviation of the throughputs of a level is over a tenth of their mean (`deviation`).",
    sentence: ({ trials, low, high, spread }) =>
      `${things(trials, "trial")} gave between ${rate(low)} and ${rate(high)} requests/s, ${percent(spread)} of the median apart`,
    cause: "Something else was running, the processor changed its clock, or the target itself varies.",
    remedy: "Close other programs. Use a longer --duration and more --trials. Trust the median with its interval only.",
    imported: `Close other programs and let each run last longer. ${MORE_RUNS}`,
    badness: ({ deviation = 0 }) => deviation,
  },
  UNTESTED: {
    ...OF_TARGET,
    title: "No difference is claimed",
    rule: "There is no test, `because` of one trial, of too few, or of a finding in some of them (`trials`, of `of`). Of one trial, what it showed.",
    sentence: (seen) => untestedSentence(seen, whyUntested(seen.because ?? "?", seen)),
    cause: "One start of a target has its own luck. A doubt may be all of the difference.",
    remedy: ({ because, trialsNeeded, canResume }) => {
      if (because === "NOT_MEASURED") return "Measure what is missing: --resume goes on with a run that was cut short.";
      if (because !== "SINGLE_TRIAL" && because !== "TOO_FEW_TRIALS")
        return "Fix the cause that is named, and measure again.";
      if (canResume !== undefined) return "Go on with --resume.";
      return trialsNeeded === undefined
        ? "Leave out --stop-on, or allow more with it: it ended this level."
        : `Use --trials ${Math.max(trialsNeeded, FEWEST_FOR_SPREAD)}.`;
    },
    imported: MORE_RUNS,
  },
  WORKERS_DIFFER: {
    title: "Workers do not fit together",
    severity: "error",
    rule: "The error of the step is `WORKERS_DIFFER`: a worker has another version of lbbench, or Locust gave it other numbers than its share. The step has no figures.",
    sentence: ({ message }) => `the step was given up: ${messageOf(message)}`,
    cause: "The machines have different versions of lbbench, or something else used the same Locust master.",
    remedy: "Install the same version of lbbench on all machines. Use a master and a port for this run alone.",
    bounds: EVERYTHING,
  },
  WORKER_LOST: {
    title: "A worker was lost",
    severity: "error",
    rule: "The error of the step is `WORKER_LOST`: a worker fell silent, ended, came back anew, or sent no report. The step has no figures, because the others alone are a smaller load.",
    sentence: ({ message }) => `the step was given up: ${messageOf(message)}`,
    cause: "The worker crashed or was stopped, its machine was too busy to answer, or the network was cut.",
    remedy:
      "Read what the worker printed. Start it again and repeat the run, with --retry-lost if this happens now and then.",
    of: "moment",
    bounds: EVERYTHING,
  },
  WORSE_THAN_REFERENCE: {
    title: "Worse than the reference",
    severity: "error",
    rule: "With a margin (`--margin`), the whole 95 % interval of the change lies beyond it, and a test that is corrected for all comparisons says so; over all levels together, or at some. The share of failed requests may rise by 0.1 percentage points (`errorMargin`). The verdict is `fail`.",
    sentence: (seen) => {
      const { metric = "?", reference = "?", died, trials, change, low, high, together, bound } = seen;
      if (metric === "deaths") return `it died in ${count(died)} of ${things(trials, "trial")}, ${reference} in none`;
      const cost = COSTS.get(metric)?.(change);
      if (cost !== undefined) return `${cost} ${reference}; the margin allows ${margin(seen)} %`;
      // Of less throughput the smaller change is the higher one.
      const [from, to] = metric === "throughput" ? [high, low] : [low, high];
      const interval = low === undefined ? "" : ` (95 % interval ${size(from)} to ${size(to)})`;
      const least = bound === undefined ? "" : "at least ";
      const over = together === undefined ? "" : `, on average over ${things(together, "level")}`;
      const [unit, worse] = WORSE.get(metric) ?? ["%", CHANGES.get(metric)?.[0] ?? `worse ${metric}`];
      return `${least}${size(change)} ${unit} ${worse} than ${reference}${over}${interval}; the margin allows ${margin(seen)} ${unit}`;
    },
    cause: "The target is slower than the reference, or fails more often.",
    remedy: "Look for the bottleneck at that level, or set the margin to what the target may cost.",
    imported: "Look for the bottleneck at that level.",
  },
};

/** The codes of all that a run shows; every other finding is something that was noticed on the way. */
export const CONCLUSIONS: ReadonlySet<string> = new Set(
  Object.keys(FINDINGS).filter((code) => rowOf({ code: code as FindingCode }).isConclusion),
);

/** The row of a finding; empty for a code of a later version. */
export function rowOf({ code }: Pick<Finding, "code">): Partial<FindingRow> {
  return Object.hasOwn(FINDINGS, code) ? FINDINGS[code] : {};
}

/** `2,391 of 10,000 requests (23.9 %)`, of those that came to an end. */
function failed({ count: those, sent, finished = sent, share }: Seen<"NON_2XX">): string {
  return `${count(those)} of ${things(finished, "request")} (${percent(share)})`;
}

/** An engine to take where the generator was the limit. */
function describeFaster(engine: string | undefined): string {
  return engine === undefined
    ? "a faster engine"
    : `--engine ${engine}, which needs less processor time for each request`;
}

function messageOf(message = "?"): string {
  return message.trimEnd().replace(/\.$/, "");
}

/** Where in a ramp something begins: users, the second in which they were there, and whether requests fail. */
function rampPlace({ firstBad, kind, second, failsFrom, failsFromSecond }: Seen<"CLIFF">): string {
  const since = failsFromSecond === second ? "" : ` (since second ${count(failsFromSecond)})`;
  const failing = failsFrom === undefined ? "" : `, requests fail${since}`;
  return `from ${loads(firstBad, kind)} (second ${count(second)}) on${failing}`;
}

/** Of a matrix, with how many requests a step a curve was made: ` (10,000 requests a step)`. */
function amount({ requests }: Pick<Seen<"KNEE">, "requests">): string {
  return requests === undefined ? "" : ` (${things(requests, "request")} a step)`;
}

/** Reasons other than findings why nothing is claimed: for a table cell, and for a sentence. */
const REASONS: ReadonlyMap<string, readonly [short: string, long: string]> = new Map([
  ["WITHIN_NOISE", ["noise", "the trials vary too much to tell"]],
  [
    "OTHER_SESSION",
    ["noise", "two runs of the same target may differ as much; as targets of one run they can be told apart"],
  ],
  ["OTHER_MACHINE", ["other machine", "measured on another machine"]],
  ["OTHER_ENGINE", ["other engine", "measured by another engine"]],
  ["OTHER_REQUEST", ["other request", "another request was sent"]],
  ["OTHER_LOAD", ["other load", "another load was sent"]],
  ["NOT_MEASURED", ["not measured", "a side has no measurement"]],
  ["SINGLE_TRIAL", ["too few trials", "one trial cannot be told from noise"]],
  ["TOO_FEW_TRIALS", ["too few trials", "too few trials"]],
]);

/** Why nothing is claimed, in a cell of a table. */
export function whyUntestedShort(because: string): string {
  return REASONS.get(because)?.[0] ?? "in doubt";
}

/** Why nothing is claimed; a finding by its title, with its code in brackets and in how many trials it is, where not in all. */
export function whyUntested(because: string, figures: Partial<Told<"UNTESTED">> = {}): string {
  const { trialsNeeded, canResume, trials, of } = figures;
  const [, long] = REASONS.get(because) ?? [];
  if (long !== undefined) {
    if (trialsNeeded === undefined) return long;
    const advice =
      canResume === undefined ? `use --trials ${Math.max(trialsNeeded, FEWEST_FOR_SPREAD)}` : "go on with --resume";
    return `${long}, ${advice}`;
  }
  const { title = "another finding" } = rowOf({ code: because as FindingCode });
  const some =
    trials !== undefined && of !== undefined && trials < of ? ` in ${count(trials)} of ${things(of, "trial")}` : "";
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}${some} [${because}]`;
}

/** As it was given: `5`, not `5.0`. */
function margin(seen: Seen<"WORSE_THAN_REFERENCE">): string {
  return size(seen.margin).replace(/\.0$/, "");
}
