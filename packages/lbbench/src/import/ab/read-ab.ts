import {
  abFigures,
  countAbRequests,
  parseAbComplaints,
  parseAbOutput,
  type AbCounts,
  type AbOutput,
} from "../../engines/programs/ab.js";
import { readLines } from "../../engines/programs/printed.js";
import { placeOf, textInPlace, type Block } from "../block.js";
import { ImportError } from "../import-error.js";
import type { ImportedRun, NotInOutput } from "../imported-run.js";
import { readCommand, type ToldCommand } from "../read-command.js";
import { readAbLatency } from "./read-ab-latency.js";
import { readAbAddress } from "./read-ab-address.js";
import { readOwnAb, readOwnPlace } from "./read-own-ab.js";

/**
 * Reads a block of ab. Its latencies are of all requests that came to an end, so that they are those of ok ones where all are ok,
 * and of failed ones where none is.
 */
export function readAb(block: Block, file: string, told: NotInOutput): ImportedRun {
  const own = readOwnPlace(block, file);
  // A run that ab itself has measured stands there as ab printed it.
  const isOfAb = block.lines.some((line) => line.startsWith("Server Software:"));
  if (own !== undefined && !isOfAb) return readOwnAb(block, own);
  const text = textInPlace(block);
  const lines = readLines("ab", text);
  const command = readCommand("ab", block.before);
  const failure = /^(?:Benchmarking .*\.{3} ?)?(apr_\w+: .* \(\d+\)|SSL .*failed.*|Test aborted after .*)$/m.exec(
    text,
  )?.[1];
  const hasFigures = block.lines.some((line) => line.startsWith("Complete requests:"));
  if (!hasFigures && failure !== undefined) return gaveUp(block, file, failure, { ...told, ...command });
  if (!hasFigures) {
    throw lines.error(
      `line ${block.last}: it began in line ${block.first} and is cut, or ab gave up: expected its figures, none came`,
    );
  }
  const output = parseAbOutput(text);
  const latency = readAbLatency(lines, output);
  const counts = countRequests(output, block.lines);
  const keepAlive = output.keptAlive !== undefined;
  return {
    program: "ab",
    version: lines.find("This is ApacheBench, Version ", /^(\S+)/)?.[0] ?? null,
    ...readAbAddress(lines),
    connections: output.concurrency,
    ...(own ?? amountOf(output.complete, command, told)),
    keepAlive,
    figures: abFigures(output, counts, latency, keepAlive),
    doubts: counts.doubts,
    output: block.lines.join("\n"),
  };
}

/** With a time ab sends this many requests at most, unless it is told another number. */
const MOST_IN_A_TIME = 50_000;

/** A run by time that reaches its number of requests ends there. */
function amountOf(
  complete: number,
  command: ToldCommand,
  told: NotInOutput,
): Pick<ImportedRun, "amount" | "isAmountCounted"> {
  const { requests, durationMs } = command;
  if (durationMs !== undefined) {
    return { amount: complete === (requests ?? MOST_IN_A_TIME) ? { requests: complete } : { durationMs } };
  }
  if (requests !== undefined) return { amount: { requests: complete } };
  return told.durationMs === undefined
    ? { amount: { requests: complete }, isAmountCounted: true }
    : { amount: { durationMs: told.durationMs } };
}

/**
 * Where nothing tells an answer with an empty body from a connection that was closed without one, or ab was told not to mind lengths,
 * what was answered and what was closed counts as answered.
 */
function countRequests(output: AbOutput, printed: readonly string[]): AbCounts {
  const errors = parseAbComplaints(printed.map((line) => ({ line, count: 1 })));
  const { documentLength = 0, complete, keptAlive = 0, failures, non2xx } = output;
  const isUntold = documentLength === 0 && complete - keptAlive > failures.receive && complete > non2xx;
  if (documentLength > 0 || complete - keptAlive <= failures.receive) return countAbRequests(output, errors);
  const { documentLength: _, ...rest } = output;
  const lenient = { ...rest, failures: { ...failures, length: failures.receive } };
  return {
    ...countAbRequests(lenient, errors),
    doubts: isUntold ? [{ figure: "errors", because: "closed-uncounted" }] : [],
  };
}

/** Without a command, or whoever imports it, nobody tells at how many connections ab gave up. */
function gaveUp(
  block: Block,
  file: string,
  failure: string,
  { url, connections, requests, durationMs }: ToldCommand,
): ImportedRun {
  if (connections === undefined || (requests ?? durationMs) === undefined) {
    throw new ImportError(
      `${placeOf(file, block)}: ab gave up (${failure}) and tells no figures, not even how many connections it had. Put its command ` +
        'in the line before ("$ ab -n 1000 -c 50 http://..."), so that it counts as a run that failed, or leave these lines out',
    );
  }
  return {
    program: "ab",
    version: null,
    ...(url === undefined ? {} : { url }),
    connections,
    amount: requests === undefined ? { durationMs: durationMs ?? 0 } : { requests },
    keepAlive: null,
    failure: `ab gave up: ${failure}`,
    doubts: [],
    output: block.lines.join("\n"),
  };
}
