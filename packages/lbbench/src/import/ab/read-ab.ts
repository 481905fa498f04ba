import { countAbRequests } from "../../engines/ab/count-requests.js";
import { doubtAbLengths } from "../../engines/ab/doubt-lengths.js";
import { parseAbComplaints } from "../../engines/ab/parse-complaints.js";
import { parseAbOutput, type AbOutput } from "../../engines/ab/parse-output.js";
import { readLines } from "../../engines/driven-program/read-lines.js";
import type { Doubt, RequestCounts } from "../../model/measurement.js";
import { placeOf, textInPlace, type Block } from "../block.js";
import { ImportError } from "../import-error.js";
import type { ImportedRun, NotInOutput } from "../imported-run.js";
import { readCommand, type ToldCommand } from "../read-command.js";
import { readAbLatency, readAbPhases } from "./read-ab-latency.js";
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
  const percentiles = readAbLatency(lines, output);
  const { requests, doubts } = countRequests(
    output,
    parseAbComplaints(block.lines.map((line) => ({ line, count: 1 }))),
  );
  const { complete, elapsedMs, keptAlive } = output;
  const isAllOk = requests.ok === requests.sent && doubts.length === 0;
  const isAllSentAndFailed = requests.ok === 0 && requests.sent === complete && (requests.connectErrors ?? 0) === 0;
  const phases = isAllOk ? readAbPhases(output, keptAlive !== undefined) : undefined;
  return {
    program: "ab",
    version: lines.find("This is ApacheBench, Version ", /^(\S+)/)?.[0] ?? null,
    ...readAbAddress(lines),
    connections: output.concurrency,
    ...(own ?? amountOf(complete, command, told)),
    keepAlive: keptAlive !== undefined,
    figures: {
      elapsedMs,
      requests,
      statusCodes: {},
      errorCodes: {},
      bytes: {
        received: output.receivedBytes,
        body: output.bodyBytes,
        ...(output.sentBytes === undefined ? {} : { sent: output.sentBytes }),
      },
      ...(percentiles !== undefined && isAllOk ? { latency: percentiles } : {}),
      ...(percentiles !== undefined && isAllSentAndFailed ? { failedLatency: percentiles } : {}),
      ...(phases === undefined ? {} : { phases }),
    },
    doubts,
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
function countRequests(
  output: AbOutput,
  errors: ReturnType<typeof parseAbComplaints>,
): { readonly requests: RequestCounts; readonly doubts: readonly Doubt[] } {
  const { documentLength = 0, complete, keptAlive = 0, failures, non2xx } = output;
  const isUntold = documentLength === 0 && complete - keptAlive > failures.receive && complete > non2xx;
  if (documentLength > 0 || complete - keptAlive <= failures.receive) {
    return { requests: countAbRequests(output, errors), doubts: doubtAbLengths(output) };
  }
  const { documentLength: _, ...rest } = output;
  const lenient = { ...rest, failures: { ...failures, length: failures.receive } };
  return {
    requests: countAbRequests(lenient, errors),
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
