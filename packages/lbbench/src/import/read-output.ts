import { countOf } from "../stats/count-of.js";
import { readAb } from "./ab.js";
import { readAutocannonJson, readAutocannonTable } from "./autocannon.js";
import { cleanLines, type Line } from "./clean-text.js";
import { readHey } from "./hey.js";
import { ImportError, nameLines, type ImportedRun, type NotInOutput, type ReadRun } from "./imported-run.js";
import { readK6Json, readK6Text } from "./k6.js";
import type { Layout } from "./layouts.js";
import { quote, readerOf, splitBlocks, type Block, type BlockReader } from "./read-blocks.js";
import { readWrk } from "./wrk.js";

/** The runs of a file, in its order, and what of it was not read. */
export interface ReadOutput {
  readonly runs: readonly ReadRun[];
  /** A sentence for each run with lines that were ignored, and for each part that tells nothing. */
  readonly notes: readonly string[];
}

const READERS: Readonly<Record<Layout, (block: BlockReader, told: NotInOutput) => ImportedRun | undefined>> = {
  ab: readAb,
  wrk: readWrk,
  hey: readHey,
  autocannon: readAutocannonTable,
  k6: readK6Text,
};

/**
 * Reads the runs of a file that the output of load generators was saved to. What is missing of a run is absent, and its lines that
 * contradict each other are doubts. Throws an {@link ImportError} for a file in which no run tells requests or a rate, and where
 * something is told beside the file that its runs contradict.
 */
export function readOutput(bytes: Uint8Array, file: string, told: NotInOutput = {}): ReadOutput {
  const lines = withoutCutFigure(cleanLines(bytes, file), bytes);
  const own = lines.find(({ text }) => text.startsWith("# lbbench: target "));
  if (own !== undefined) {
    throw new ImportError(
      `${file}:${own.number}: expected the output of a load generator, got the ab.txt of lbbench. ` +
        "The result.json beside it tells more: use lbbench report on it",
    );
  }
  const parts = splitJson(lines);
  const read = parts.flatMap((part) =>
    "json" in part
      ? [readJson(part, file, told)]
      : splitBlocks(part.lines).map((block) => readBlock(block, file, told)),
  );
  const runs = read.flatMap(({ run }) => run ?? []);
  if (runs.length === 0) throw nothingRead(lines, file, read.flatMap(({ problem }) => problem ?? [])[0]);
  for (const run of runs) checkTold(run, told);
  return { runs, notes: read.flatMap(({ problem, ignored }) => [problem ?? [], ignored ?? []].flat()) };
}

/** A run that was read, or why none was; and which of its lines were ignored. */
interface Read {
  readonly run?: ReadRun;
  readonly problem?: string;
  readonly ignored?: string;
}

function nothingRead(lines: readonly Line[], file: string, problem: string | undefined): ImportError {
  const first = lines.find(({ text }) => text !== "");
  return new ImportError(
    problem ??
      `${file}:${first?.number ?? 1}: expected the output of ab, wrk, hey, oha, autocannon or k6 with a number of requests or a rate, got ` +
        `${first === undefined ? "nothing" : quote(first.text)}. Save what the program prints, in English`,
  );
}

/** Where the last line was cut in its figure, it would be read as a smaller one. */
function withoutCutFigure(lines: readonly Line[], bytes: Uint8Array): readonly Line[] {
  const last = lines.at(-1);
  const isCut = bytes.at(-1) !== 0x0a && last !== undefined && /: ?[\d.]+$|\d% ?[\d.]+$|\] ?\d+$/.test(last.text);
  return isCut ? [...lines.slice(0, -1), { ...last, text: last.text.replace(/[\d.]+$/, "") }] : lines;
}

const MOST_QUOTED = 5;

function readBlock(block: Block, file: string, notInOutput: NotInOutput): Read {
  const [first, last] = [block.lines[0]?.number ?? 1, block.lines.at(-1)?.number ?? 1];
  const place = nameLines(file, first, last);
  const [layout = "ab"] = block.layouts;
  const run = READERS[layout](readerOf(block, file), notInOutput);
  if (run === undefined) {
    return {
      problem: `${place}: expected a number of requests or a rate of ${layout}, got ${countOf(block.lines.length, "line")} without. Save all that ${layout} prints`,
    };
  }
  const { ignored, lines } = block;
  const quoted = ignored.slice(0, MOST_QUOTED).map(({ number, text }) => `${number} ${quote(text)}`);
  const more = ignored.length > MOST_QUOTED ? `, and ${ignored.length - MOST_QUOTED} more` : "";
  const told = `${place}: ignored ${ignored.length === 1 ? "line" : "lines"} ${quoted.join(", ")}${more}`;
  return { run: { ...run, file, place, output: bareText(lines) }, ...(ignored.length === 0 ? {} : { ignored: told }) };
}

function bareText(lines: readonly Line[]): string {
  return lines.map(({ bare }) => bare).join("\n");
}

interface JsonPart {
  readonly json: unknown;
  readonly lines: readonly Line[];
  /** Why it is none. */
  readonly problem?: string;
}

/** Takes what is JSON out of lines: it begins with a bracket in a line, and ends with the one that closes it. */
function splitJson(lines: readonly Line[]): readonly (JsonPart | { readonly lines: readonly Line[] })[] {
  const parts: (JsonPart | { lines: Line[] })[] = [];
  let text: Line[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined) continue;
    if (!/^(?:\{\s*(?:"|$)|\[\s*(?:\{|$))/.test(line.bare)) {
      text.push(line);
      continue;
    }
    const end = endOfJson(lines, at);
    const those = lines.slice(at, end);
    parts.push({ lines: text }, ...parseJson(those));
    text = [];
    at = end - 1;
  }
  return [...parts, { lines: text }];
}

/** The index after the line that closes the first bracket. */
function endOfJson(lines: readonly Line[], start: number): number {
  let depth = 0;
  for (let at = start; at < lines.length; at += 1) {
    for (const [bracket] of (lines[at]?.bare ?? "").replaceAll(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/[{}[\]]/g)) {
      depth += bracket === "{" || bracket === "[" ? 1 : -1;
    }
    if (depth <= 0) return at + 1;
  }
  return lines.length;
}

/** A list is one part for each of its items. */
function parseJson(lines: readonly Line[]): readonly JsonPart[] {
  try {
    const value: unknown = JSON.parse(bareText(lines));
    return [value].flat().map((json) => ({ json, lines }));
  } catch (error) {
    return [{ json: undefined, lines, problem: error instanceof Error ? error.message : String(error) }];
  }
}

function readJson({ json, lines, problem }: JsonPart, file: string, told: NotInOutput): Read {
  const place = nameLines(file, lines[0]?.number ?? 1, lines.at(-1)?.number ?? 1);
  const name = (part: string): string => `${place} ${part}`;
  const run = readAutocannonJson(json, told, name) ?? readK6Json(json, told, name);
  if (run !== undefined) return { run: { ...run, file, place, output: bareText(lines) } };
  const keys = typeof json === "object" && json !== null ? Object.keys(json).slice(0, 5).join(", ") : String(json);
  const got = problem === undefined ? `an object with ${keys || "nothing"}` : `damaged JSON (${problem})`;
  return {
    problem: `${place}: expected the JSON of autocannon -j, or a summary of k6 (--summary-export), got ${got}. Save all of it`,
  };
}

/** A run by time ends at most this part of it too early, or too late. */
const TOLERANCE = 0.1;
/** What a program takes beside that to come to its end. */
const SLACK_MS = 200;

/**
 * Checks what is said beside a file against what its output tells, so that neither overrules the other. Throws an {@link ImportError}
 * where it tells other connections or another amount, and where it did not last as long as is said.
 */
function checkTold({ program, connections, sockets, amount, figures, place }: ReadRun, told: NotInOutput): void {
  const fail = (expected: string, flag: string, got: string): never => {
    throw new ImportError(
      `${place}: expected ${expected}, as ${flag} says, and ${program} ${got}. Leave ${flag} out, or import this run without it`,
    );
  };
  if (told.connections !== undefined && ![connections, sockets].includes(told.connections)) {
    fail(`a run with ${countOf(told.connections, "connection")}`, "--connections", `had ${sockets ?? connections}`);
  }
  if (told.durationMs === undefined) return;
  const expected = `a run of ${told.durationMs} ms`;
  if (amount.requests !== undefined)
    fail(expected, "--duration", `was asked for ${countOf(amount.requests, "request")}`);
  if (amount.durationMs !== told.durationMs) fail(expected, "--duration", `was asked for ${amount.durationMs} ms`);
  if (figures === undefined || figures.elapsedMs === 0) return;
  const { elapsedMs, latency, failedLatency } = figures;
  // Some wait for what is under way at the end.
  const lateMs = SLACK_MS + Math.max(latency?.max ?? 0, failedLatency?.max ?? 0);
  const isLike =
    elapsedMs >= told.durationMs * (1 - TOLERANCE) && elapsedMs <= told.durationMs * (1 + TOLERANCE) + lateMs;
  if (!isLike) fail(expected, "--duration", `took ${Math.round(elapsedMs)} ms`);
}
