/** What ApacheBench 2.3 prints, and what it means by it. */
import type { Doubt, LatencySummary, PhaseSummary, Phases, RequestCounts } from "../model/measurement.js";
import { elapsedByRate } from "./figures.js";
import { layoutOf, ProgramError, systemErrorOf, type Printed, type ProgramFigures } from "./printed.js";
import { defined } from "../stats/defined.js";

const PHASE = "<C> <C>(?: <N> <C>)? <C>";

/** With a banner and what came while it ran, or from the server on. */
export const AB = layoutOf(
  ["banner", String.raw`This is ApacheBench, Version ([\w.-]+)(?: <.*>)?`, "may"],
  ["", "Copyright .*|Licensed to .*", "often"],
  ["asked", String.raw`Benchmarking \S+ (?:\[through \S+\] )?\(be patient\)[. ]*(?:done)?(.*)`, "may"],
  ["", String.raw`(?:Completed|Finished) \d+ requests`, "often"],
  ["complaint", String.raw`(apr_\w+: .* \(\d+\)|SSL \w+ failed.*|Test aborted after .*)`, "often"],
  ["ended", "Total of <C> requests completed", "may"],
  ["software", "Server Software:.*"],
  ["host", String.raw`Server Hostname: (\S+)`],
  ["port", "Server Port: <C>"],
  ["tls", "SSL/TLS Protocol: .*", "may"],
  ["", "(?:Server Temp Key|TLS Server Name):.*", "often"],
  ["path", String.raw`Document Path: (\S+)`],
  ["length", "Document Length: (?:<C> bytes|Variable)"],
  ["connections", "Concurrency Level: <C>"],
  ["time", "Time taken for tests: <N> seconds"],
  ["complete", "Complete requests: <C>"],
  ["failed", "Failed requests: <C>"],
  ["failures", String.raw`\(Connect: <C>, Receive: <C>, Length: <C>, Exceptions: <C>\)`, "may"],
  ["", "Write errors: <C>", "may"],
  ["non2xx", "Non-2xx responses: <C>", "may"],
  ["kept alive", "Keep-Alive requests: <C>", "may"],
  ["received", "Total transferred: <C> bytes"],
  ["sent", "Total (?:body sent|PUT|POSTed): <C>", "may"],
  ["body", "HTML transferred: <C> bytes"],
  ["rate", String.raw`Requests per second: <N> \[#/sec\] \(mean\)`, "may"],
  ["", String.raw`Time per request: <N> \[ms\] \(mean\)`, "then"],
  ["", String.raw`Time per request: <N> \[ms\] \(mean, across all concurrent requests\)`, "then"],
  ["", String.raw`Transfer rate: <N> \[Kbytes/sec\] received`, "then"],
  ["", "<N> kb/s (?:sent|total)", "often"],
  ["times", String.raw`Connection Times \(ms\)`, "may"],
  ["columns", String.raw`min (mean\[\+/-sd\] median|avg) max`, "then"],
  ["connect", `Connect: ${PHASE}`, "then"],
  ["processing", `Processing: ${PHASE}`, "then"],
  ["waiting", `Waiting: ${PHASE}`, "then"],
  ["total", `Total: ${PHASE}`, "then"],
  ["", "(?:WARNING|ERROR): The median and mean.*|These results are .*", "often"],
  ["served", String.raw`Percentage of the requests served within a certain time \(ms\)`, "may"],
  ["percentile", String.raw`(\d+)% <C>`, "often"],
  ["longest", String.raw`100% <C> \(longest request\)`, "then"],
);

/** What ab prints of a run, as it counts. */
export type AbOutput = Readonly<ReturnType<typeof readAbOutput>>;

/** Returns what ab printed, of a block that has all its lines. Throws a `ProgramError` where these cannot all be true. */
export function readAbOutput({ number, texts, has }: Printed) {
  const count = (key: string): number => number(key) ?? 0;
  const [complete, failed] = [count("complete"), count("failed")];
  const [connect = 0, receive = 0, length = 0, exceptions = 0] = texts("failures").map(Number);
  const told = connect + receive + length + exceptions;
  if (failed !== told) throw new ProgramError(`of ${failed} failed requests ab says how ${told} failed`);
  if (complete > 0 && !(has("rate") && has("times"))) {
    throw new ProgramError(`ab says that ${complete} requests are complete, and neither their rate nor their times`);
  }
  const areFive = texts("columns")[0] !== "avg";
  if (areFive && PHASES.some((name) => texts(name).includes(""))) {
    throw new ProgramError("ab says that its times have five columns, and some have three");
  }
  const [documentLength = ""] = texts("length");
  const sent = number("sent");
  return {
    /** Body of the first answer in bytes: another length is a failure to ab; `undefined` where it was told not to mind (`-l`). */
    documentLength: documentLength === "" ? undefined : Number(documentLength),
    concurrency: count("connections"),
    elapsedMs: elapsedByRate(
      complete,
      { value: count("time") * 1000, resolution: 0.5 },
      { value: count("rate"), resolution: 0.005 },
    ),
    /** Requests that came to an end, whether or not there was an answer. */
    complete,
    /** Ways in which ab sees failures; one request may be counted in several. */
    failures: { connect, receive, length, exceptions },
    /** Answers with a status other than 2xx. */
    non2xx: count("non2xx"),
    /** Answers complete by their length, on connections that stay open; `undefined` without keep-alive. */
    keptAlive: number("kept alive"),
    /** Bytes read, of bodies alone, and written (which ab calls the body); the last is absent of requests without one. */
    bytes: { received: count("received"), body: count("body"), ...defined({ sent }) },
    /** Of all that came to an end, in whole ms; `undefined` when none did, and without median and deviation (`-S`). */
    phases: complete > 0 && areFive ? readPhases(texts) : undefined,
  };
}

const PHASES = ["connect", "processing", "waiting", "total"] as const;

function readPhases(texts: Printed["texts"]): Phases {
  const phases = PHASES.map((name): [string, PhaseSummary] => {
    const [min = 0, mean = 0, stddev = 0, median = 0, max = 0] = texts(name).map(Number);
    return [name, { min, mean, stddev, median, max }];
  });
  return Object.fromEntries(phases) as unknown as Phases;
}

const CONNECT_CODES = ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT"];
const RESET_CODES = ["ECONNRESET", "EPIPE"];

/** Why requests failed to receive an answer, and how often, by error code. */
type ReceiveErrors = Readonly<Record<string, number>>;

/** Counts the failures to receive that ab complains of, one line each, with the system's error and its number. */
export function parseAbComplaints(lines: readonly { readonly line: string; readonly count: number }[]): ReceiveErrors {
  const counts: Record<string, number> = {};
  for (const { line, count } of lines) {
    const [, error = "", number] = /^apr_socket_recv: (.*) \((\d+)\)$/.exec(line) ?? [];
    if (number === undefined) continue;
    const code = systemErrorOf(error) ?? `errno ${number}`;
    counts[code] = (counts[code] ?? 0) + count;
  }
  return counts;
}

/** What became of the requests, and what of that is not known. */
export interface AbCounts {
  readonly requests: Omit<RequestCounts, "inFlight">;
  readonly doubts: readonly Doubt[];
}

/**
 * Says what became of the requests, from what ab counts, which is something else:
 *
 * - *Complete* is every request that came to an end, also by the connection being closed or reset without an answer.
 * - Such a request has an empty body, and so another *length* than the first answer; a complete answer may have that, too,
 *   and is ok. On connections that are kept open ab waits for the whole length, so that those *kept alive* are complete: only
 *   where a connection was closed, another length is a failure (`unclassified`: closed early, or merely different). Where most
 *   have another length, and a body, the first answer may have been the odd one: then none of them counts as a failure.
 * - A failure to *receive* is counted as a length and as an exception once more. The errors tell resets from refusals. Those of
 *   several connections at the very end are counted though enough requests are *complete*: these were sent as well.
 * - Answers with an unexpected status mostly have another length. As many of them as there are lengths are taken to be among
 *   those: a doubt, unless every answer has failed for certain.
 *
 * Throws a `ProgramError` where nothing tells an answer from a connection that was closed: when the body of the first is
 * empty, without keep-alive.
 */
export function countAbRequests(output: AbOutput, errors: ReceiveErrors): AbCounts {
  const { complete, non2xx, failures, keptAlive = 0, documentLength = 0, bytes } = output;
  const { connect, receive, length, exceptions } = failures;
  const sumOf = (codes: readonly string[]): number => codes.reduce((sum, code) => sum + (errors[code] ?? 0), 0);
  const [refused, resets] = [sumOf(CONNECT_CODES), sumOf(RESET_CODES)];
  if (refused + resets > receive) {
    throw new ProgramError(`ab complains of ${refused + resets} failures to receive an answer and counts ${receive}`);
  }
  // An exception beyond those of receiving is a request that was given up and begun anew.
  const givenUp = Math.max(0, exceptions - receive);
  const connectErrors = refused + connect;
  const sent = Math.max(complete, receive) + connect + givenUp;
  const closed = complete - keptAlive;
  const mayHaveFailedByLength = documentLength > 0 && Math.min(length, closed) > receive;
  const isFirstSuspect =
    mayHaveFailedByLength && length > complete / 2 && bytes.body > documentLength * (complete - length);
  const isDoubtful = mayHaveFailedByLength && complete > non2xx + receive && (non2xx > 0 || isFirstSuspect);
  const doubts = isDoubtful
    ? (["errors", "throughput"] as const).map((figure) => ({ figure, because: "other-lengths" }) as const)
    : [];
  if (bytes.received === 0 || complete <= receive) {
    const unclassified = sent - connectErrors - resets;
    return { requests: { sent, ok: 0, non2xx: 0, connectErrors, resets, unclassified }, doubts };
  }
  if (output.documentLength === 0 && closed > receive) {
    throw new ProgramError(
      "ab does not tell answers with an empty body from connections that were closed without an answer, and the first body " +
        `was empty; ${closed} of ${complete} connections were closed. Use another engine, or a page that is not empty, kept alive`,
    );
  }
  const tellsNothing = output.documentLength === 0 || isFirstSuspect;
  const incomplete = Math.max(receive, Math.min(tellsNothing ? receive : length, closed));
  const otherLengths = Math.max(0, length - incomplete);
  const failed = incomplete - Math.min(incomplete - receive, Math.max(0, non2xx - otherLengths));
  const ok = complete - non2xx - failed;
  if (ok < 0) {
    throw new ProgramError(
      `ab counts ${non2xx} answers with an unexpected status and ${failed} other failures among ${complete} requests`,
    );
  }
  const unclassified = failed - refused - resets + givenUp;
  return { requests: { sent, ok, non2xx, connectErrors, resets, unclassified }, doubts };
}

/** ab rounds to whole ms: from here on by 5 % at most. Below, its figures would say more than it knows. */
const SHORTEST_MEAN_MS = 10;
/** The same of what it prints with one decimal. */
const SHORTEST_STDDEV_MS = 1;

/**
 * What ab tells of a run, but for errors by code. Its latencies are of all requests that came to an end, so that they are those of ok ones
 * where all are ok, of failed ones where none is, and otherwise of neither.
 */
export function abFigures(
  { elapsedMs, complete, bytes, phases }: AbOutput,
  { requests, doubts }: AbCounts,
  latency: LatencySummary | undefined,
  keepAlive: boolean,
): ProgramFigures {
  const isAllOk = requests.ok === requests.sent && doubts.length === 0;
  const isAllSentAndFailed = requests.ok === 0 && requests.sent === complete && requests.connectErrors === 0;
  // With keep-alive, connecting is 0 but for the first request of each connection.
  const isCarried = Object.entries<PhaseSummary>({ ...phases }).every(
    ([name, { mean }]) => mean >= SHORTEST_MEAN_MS || (keepAlive && name === "connect"),
  );
  return {
    elapsedMs,
    requests,
    statusCodes: {},
    errorCodes: {},
    bytes,
    ...defined({
      latency: latency !== undefined && isAllOk ? latency : undefined,
      failedLatency: latency !== undefined && isAllSentAndFailed ? latency : undefined,
      phases: phases !== undefined && isCarried && isAllOk ? phases : undefined,
    }),
  };
}

/** Mean and standard deviation, where whole milliseconds can carry them. */
export function carriedMean({ mean, stddev }: Partial<PhaseSummary> = {}): Pick<LatencySummary, "mean" | "stddev"> {
  if (mean === undefined || stddev === undefined || mean < SHORTEST_MEAN_MS) return {};
  return stddev < SHORTEST_STDDEV_MS ? { mean } : { mean, stddev };
}
