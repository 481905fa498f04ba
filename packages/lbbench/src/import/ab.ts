import { abFigures, carriedMean, countAbRequests, parseAbComplaints, type AbCounts } from "../engines/programs/ab.js";
import { ProgramError } from "../engines/programs/printed.js";
import type { LatencySummary, PhaseSummary, Phases } from "../model/measurement.js";
import { countOf } from "../stats/count-of.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";
import type { BlockReader } from "./read-blocks.js";
import { readCommand, type ToldCommand } from "./read-command.js";
import { checkedLatency, gaveUp, percentilesOf, printed, settleTiming, toldOf, toRun } from "./timing.js";

/** With a time ab sends this many requests at most, unless it is told another number. */
const MOST_IN_A_TIME = 50_000;

/** Reads a block of ab. Its latencies are of all requests that came to an end. */
export function readAb(block: BlockReader, told: NotInOutput): ImportedRun | undefined {
  const command = readCommand("ab", block.before);
  const keepAlive = block.has("kept alive") ? true : block.has("complete") && block.has("received") ? false : null;
  const across = block.number("across");
  const timing = settleTiming(block.number("complete"), timeOf(block, across), printed(block.texts("rate")?.[0]), () =>
    block.check(false, "throughput", "complete", "time", "rate"),
  );
  const connections = connectionsOf(block, across) ?? command.connections ?? told.connections;
  const common = {
    program: "ab",
    version: block.texts("banner")?.[0] ?? null,
    url: addressOf(block) ?? command.url,
    connections,
  };
  if (timing === undefined) {
    const { requests, durationMs = requests === undefined ? told.durationMs : undefined } = command;
    const amount = requests === undefined ? { durationMs } : { requests };
    const ended = block.number("ended");
    return gaveUp(block, { ...common, amount }, ended === undefined ? "" : ` after ${countOf(ended, "request")}`);
  }
  const { count: complete, elapsedMs } = timing;
  checkRates(block, complete, elapsedMs, connections);
  const phases = phasesOf(block);
  const latency = complete === 0 ? undefined : latencyOf(block, phases?.total);
  const counts = countRequests(block, complete);
  const [received, body, sent] = ["received", "body", "sent"].map(block.number);
  const output = { ...outputOf(block, complete), concurrency: connections ?? 0, elapsedMs, phases };
  return toRun({
    ...common,
    ...amountOf(timing.rate === undefined ? complete : undefined, command, told),
    keepAlive,
    timing,
    figures: {
      ...abFigures(output, counts, latency, keepAlive === true),
      bytes: toldOf({ received, body, sent }),
    },
    areFailuresTold: areFailuresTold(block),
    doubts: [...counts.doubts, ...block.doubts],
  });
}

/** Answers of another status stand between the two lines; without the length of the first answer, and of all, that of others says nothing. */
function areFailuresTold(block: BlockReader): boolean {
  const [, , lengths = 0] = block.numbers("failures") ?? [];
  return block.has("failed") && block.has("received") && (lengths === 0 || (block.has("length") && block.has("body")));
}

/** The time that is printed, or that of all requests by what each took of it. */
function timeOf(block: BlockReader, across: number | undefined) {
  const seconds = printed(block.texts("time")?.[0]);
  if (seconds !== undefined) return { value: seconds.value * 1000, resolution: seconds.resolution * 1000 };
  const complete = block.number("complete");
  return across === undefined || complete === undefined
    ? undefined
    : { value: across * complete, resolution: 0.0005 * complete };
}

/** The level that is printed, or the one that the two times per request make. */
function connectionsOf(block: BlockReader, across: number | undefined): number | undefined {
  const level = block.number("connections");
  if (level !== undefined && level > 0) return level;
  const ratio = (block.number("per request") ?? 0) / (across ?? 0);
  return Number.isFinite(ratio) && ratio >= 1 ? Math.round(ratio) : undefined;
}

/** Half of the last digit of a time in ms, and of all that has two decimals. */
const [ELAPSED_RESOLUTION_MS, RESOLUTION] = [0.5, 0.005];

/** Checks what ab works out of time, requests, level and bytes. */
function checkRates(block: BlockReader, complete: number, elapsedMs: number, connections = 0): void {
  if (complete === 0 || elapsedMs === 0) return;
  const uncertain = ELAPSED_RESOLUTION_MS / Math.max(ELAPSED_RESOLUTION_MS, elapsedMs - ELAPSED_RESOLUTION_MS);
  const made = [
    ["across", elapsedMs / complete, "other", "time"],
    ["per request", (elapsedMs / complete) * connections, "throughput", "connections"],
    ["transfer", ((block.number("received") ?? 0) / 1024 / elapsedMs) * 1000, "other", "received"],
  ] as const;
  for (const [key, figure, doubted, other] of made) {
    const told = block.has(other) ? (block.number(key) ?? figure) : figure;
    block.check(Math.abs(told - figure) <= figure * uncertain + RESOLUTION, doubted, other, key);
  }
}

/** A run by time that reaches its number of requests ends there. */
function amountOf(
  complete: number | undefined,
  command: ToldCommand,
  told: NotInOutput,
): Pick<ImportedRun, "amount" | "isAmountCounted"> {
  const { requests, durationMs = requests === undefined ? told.durationMs : undefined } = command;
  if (durationMs !== undefined && complete !== (requests ?? MOST_IN_A_TIME)) return { amount: { durationMs } };
  const amount = { requests: complete ?? requests };
  return requests === undefined && durationMs === undefined && complete !== undefined
    ? { amount, isAmountCounted: true }
    : { amount };
}

function outputOf(block: BlockReader, complete: number) {
  const [connect = 0, receive = 0, length = 0, exceptions = 0] = block.numbers("failures") ?? [];
  const documentLength = block.texts("length")?.[0];
  return {
    documentLength: documentLength === undefined || documentLength === "" ? undefined : Number(documentLength),
    complete,
    failures: { connect, receive, length, exceptions },
    non2xx: block.number("non2xx") ?? 0,
    keptAlive: block.number("kept alive"),
    // Nothing received means that nothing was answered; that it is not told does not.
    bytes: { received: block.number("received") ?? Number.NaN, body: block.number("body") ?? 0 },
  };
}

/** Where nothing tells an answer with an empty body from a connection that was closed without one, both count as answered. */
function countRequests(block: BlockReader, complete: number): AbCounts {
  const output = { ...outputOf(block, complete), concurrency: 0, elapsedMs: 0, phases: undefined };
  const errors = parseAbComplaints(block.all("gave up").map(({ text }) => ({ line: text, count: 1 })));
  const { documentLength = 0, keptAlive = 0, failures, non2xx } = output;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const told = block.number("failed") ?? failed;
  block.check(told === failed, "errors", "failed", "failures");
  block.check(non2xx <= complete, "errors", "complete", "non2xx");
  // An answer of another length is one with an empty body where the first was empty.
  const isWithLength = !block.has("length") || documentLength > 0 || complete - keptAlive <= failures.receive;
  const isUntold = !isWithLength && complete > non2xx;
  const counted = isWithLength
    ? output
    : { ...output, documentLength: undefined, failures: { ...failures, length: failures.receive } };
  try {
    const { requests, doubts } = countAbRequests(counted, errors);
    return { requests, doubts: isUntold ? [{ figure: "errors", because: "closed-uncounted" }] : doubts };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    // More failures than requests.
    block.check(false, "errors", "complete", "failed", "failures", "non2xx");
    const bad = Math.min(complete, non2xx);
    return { requests: { sent: complete, ok: complete - bad, non2xx: bad }, doubts: [] };
  }
}

/** Returns the address that ab says it asked; nothing where a block does not have all of it, as one that was cut out of its output. */
function addressOf(block: BlockReader): string | undefined {
  const [[host] = [], [port] = [], [path] = []] = ["host", "port", "path"].map(block.texts);
  if (host === undefined || port === undefined || path === undefined) return undefined;
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const text = `${block.has("tls") ? "https" : "http"}://${name}:${port}${path}`;
  return URL.canParse(text) ? new URL(text).href : undefined;
}

function phasesOf(block: BlockReader): Phases | undefined {
  const names = ["connect", "processing", "waiting", "total"] as const;
  const phases = names.flatMap((name) => phaseOf(block.texts(name)) ?? []);
  const [connect, processing, waiting, total] = phases;
  return connect && processing && waiting && total && { connect, processing, waiting, total };
}

/** Nothing where it has no median and deviation, as with `-S` and `-w`. */
function phaseOf([min, mean, stddev, median, max]: readonly string[] = []): PhaseSummary | undefined {
  if (stddev === undefined || stddev === "" || median === undefined) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = [min, mean, stddev, median, max].map(Number);
  return { min: a, mean: b, stddev: c, median: d, max: e };
}

/** Reads the latencies in whole ms of all that came to an end; nothing where they took no time as far as ab can tell. */
function latencyOf(block: BlockReader, total: PhaseSummary | undefined): LatencySummary | undefined {
  const [min, mean, , , max] = block.numbers("total") ?? [];
  const told = percentilesOf(block.named("percentile").map(([percentage, ms]) => [Number(percentage), Number(ms)]));
  if (told.max !== undefined && max !== undefined) {
    block.check(Math.abs(told.max - max) <= 1, "latency", "total", "percentile 100");
  }
  const { p50 = total?.median } = told;
  const all = { min, ...told, max: told.max ?? max };
  const inOrder = min === undefined || max === undefined || mean === undefined || (min <= mean && mean <= max);
  block.check(inOrder, "latency", "total");
  const latency = checkedLatency(block, all, 0, "total", "percentile 50", "percentile 100");
  return p50 === 0 || latency === undefined ? undefined : { ...latency, ...carriedMean(total) };
}
