import { stripVTControlCharacters } from "node:util";
import { ProgramError } from "../engines/programs/printed.js";
import { foreignLine, readAb } from "./ab.js";
import { readAutocannon } from "./autocannon.js";
import { readHey } from "./hey.js";
import { ImportError, placeOf, type Block, type ImportedRun, type NotInOutput } from "./imported-run.js";
import { isK6, readK6 } from "./k6.js";
import { splitBlocks } from "./split-output.js";
import { readWrk } from "./wrk.js";
import { countOf } from "../stats/count-of.js";

/**
 * Reads the runs of a file that the output of load generators was saved to, in its order. Throws an `ImportError` or a `ConfigError`
 * that names file and line where it is damaged, cut, in another language or of another program.
 */
export function readOutput(bytes: Uint8Array, file: string, told: NotInOutput = {}): readonly ReadRun[] {
  return splitBlocks(decodeText(bytes, file), file).map((block) => readBlock(block, file, told));
}

/** A run, where its output stands, and what of it is not taken over. */
export type ReadRun = ImportedRun & { readonly place: string; readonly thresholds?: readonly string[] };

/** Reads the output of one run; throws an {@link ImportError} or a `ConfigError` that names file and line. */
function readBlock(block: Block, file: string, told: NotInOutput): ReadRun {
  try {
    const run = READERS[block.program](block, file, told);
    const place = placeOf(file, block);
    checkTold(run, told, place);
    return { ...run, place };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new ImportError(describeProblem(error.message, block, file), { cause: error });
  }
}

/** Names the line where it is known. What is missing may be there in another language: then it is the line that nobody knows. */
function describeProblem(message: string, block: Block, file: string): string {
  const [, beginning = "", line, problem = ""] =
    /^(cannot read what \w+ printed: )line (\d+): (.*)$/s.exec(message) ?? [];
  const foreign = foreignLine(block);
  if (foreign !== undefined && foreign.number <= Number(line ?? Infinity)) {
    return `${file}:${foreign.number}: cannot read what ${block.program} printed: expected a line of it in English, got ${JSON.stringify(foreign.text)}`;
  }
  return line === undefined ? `${placeOf(file, block)}: ${message}` : `${file}:${line}: ${beginning}${problem}`;
}

type Reader = (block: Block, file: string, told: NotInOutput) => Omit<ReadRun, "place">;

const READERS: Readonly<Record<Block["program"], Reader>> = { ab: readAb, wrk: readWrk, hey: readHey, json: readJson };

function readJson(block: Block, file: string, told: NotInOutput): Omit<ReadRun, "place"> {
  const value = parseJson(block, file);
  if (isObject(value)) {
    if (isK6(value)) return readK6(value, block, file, told);
    if ("latency" in value && "statusCodeStats" in value) return readAutocannon(value, block, file, told);
  }
  const keys = isObject(value) ? Object.keys(value).slice(0, 5).join(", ") : JSON.stringify(value).slice(0, 40);
  throw new ImportError(
    `${placeOf(file, block)}: expected the JSON of autocannon -j, or a summary of k6 (--summary-export, or the data of handleSummary), got an object with ${keys || "nothing"}`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the JSON of a block; throws an {@link ImportError} that names the line where it is none. */
function parseJson(block: Block, file: string): unknown {
  const text = block.lines.join("\n");
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const before = position === undefined ? text : text.slice(0, Number(position));
    const line = block.first + before.split("\n").length - 1;
    throw new ImportError(`${placeOf(file, { first: line, last: line })}: expected JSON: ${message}`, { cause: error });
  }
}

/** A run by time ends at most this part of it too early, or too late. */
const TOLERANCE = 0.1;
/** What a program takes beside that to come to its end. */
const SLACK_MS = 200;

/**
 * Checks what is said beside a file against what its output tells, so that neither overrules the other. Throws an {@link ImportError}
 * where it tells other connections or another amount, and where it did not last as long as is said.
 *
 * @param place of the output, for messages.
 */
function checkTold(run: ImportedRun, told: NotInOutput, place: string): void {
  const { program, connections, sockets, amount, figures } = run;
  const fail = (expected: string, flag: string, got: string): never => {
    throw new ImportError(
      `${place}: expected ${expected}, as ${flag} says, and ${program} ${got}. Leave ${flag} out, or import this run without it`,
    );
  };
  if (told.connections !== undefined && told.connections !== connections && told.connections !== sockets) {
    fail(`a run with ${countOf(told.connections, "connection")}`, "--connections", `had ${sockets ?? connections}`);
  }
  if (told.durationMs === undefined) return;
  const expected = `a run of ${told.durationMs} ms`;
  if ("requests" in amount) return fail(expected, "--duration", `was asked for ${countOf(amount.requests, "request")}`);
  if (amount.durationMs !== told.durationMs) fail(expected, "--duration", `was asked for ${amount.durationMs} ms`);
  if (figures === undefined) return;
  const { elapsedMs, latency, failedLatency } = figures;
  // Some wait for what is under way at the end.
  const lateMs = SLACK_MS + Math.max(latency?.max ?? 0, failedLatency?.max ?? 0);
  const isLike =
    elapsedMs >= told.durationMs * (1 - TOLERANCE) && elapsedMs <= told.durationMs * (1 + TOLERANCE) + lateMs;
  if (!isLike) fail(expected, "--duration", `took ${Math.round(elapsedMs)} ms`);
}

/**
 * Returns the text of a file that output was saved to: UTF-8, or UTF-16 as PowerShell writes it, without colours, its lines ending
 * in `\n`. Throws an {@link ImportError} for anything else.
 *
 * @param file its name, for messages.
 */
function decodeText(bytes: Uint8Array, file: string): string {
  if (isUtf16WithoutMark(bytes)) {
    throw new ImportError(
      `${file}:1: expected text in UTF-8, got what looks like UTF-16 without a mark: save it as UTF-8`,
    );
  }
  const encoding = encodingOf(bytes);
  const text = stripVTControlCharacters(decode(bytes, encoding, file));
  const at = text.search(BINARY);
  if (at !== -1) {
    const line = text.slice(0, at).split("\n").length;
    throw new ImportError(`${file}:${line}: expected text, got a file with bytes that no text has`);
  }
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

/** After escape sequences are gone. */
const BINARY = /[^\P{Cc}\n\r\t\f\v\b]/u;

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Plain English has a zero in every second byte of it. */
function isUtf16WithoutMark(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 64);
  const zerosAt = (rest: number): number => head.filter((byte, index) => byte === 0 && index % 2 === rest).length;
  const [even, odd] = [zerosAt(0), zerosAt(1)];
  const isMarked = encodingOf(bytes) !== "utf-8";
  return !isMarked && Math.min(even, odd) === 0 && Math.max(even, odd) > head.length / 4;
}

function decode(bytes: Uint8Array, encoding: string, file: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ImportError(
      `${file}:${lineOfFault(bytes, encoding)}: expected text in ${encoding.toUpperCase()}, got something else`,
      {
        cause: error,
      },
    );
  }
}

/** Where the text ends that can be read. */
function lineOfFault(bytes: Uint8Array, encoding: string): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isReadable(bytes.subarray(0, middle), encoding)) good = middle;
    else bad = middle;
  }
  return new TextDecoder(encoding).decode(bytes.subarray(0, good)).split("\n").length;
}

function isReadable(bytes: Uint8Array, encoding: string): boolean {
  try {
    // What is cut in the middle of a character may go on.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
