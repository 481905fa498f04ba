import { beginsWith, isInside, numberLines, ProgramError, readPrinted, type NumberedLine } from "./printed.js";
import { countOf } from "../stats/format-number.js";
import { withoutTerminalSequences } from "../stats/not-printed.js";
import { ab } from "./ab.js";
import { autocannon } from "./autocannon.js";
import { hey, oha } from "./hey.js";
import { ImportError, type ImportedRun, type NotInOutput, type Reader, type ReadRun } from "./imported-run.js";
import { k6 } from "./k6.js";
import { readCommand, type ToldCommand } from "./read-command.js";
import { wrk } from "./wrk.js";
import { isRecord } from "../stats/plain-data.js";

const READERS = Object.entries<Reader>({ ab, wrk, hey, autocannon, oha, k6 });

/**
 * Reads the runs of a file that the output of load generators was saved to, in its order. Throws an {@link ImportError} that names the line
 * where output is not whole, where nothing is output, and where its run contradicts what is told beside the file.
 */
export function readOutput(bytes: Uint8Array, file: string, told: NotInOutput = {}): readonly ReadRun[] {
  const lines = numberLines(textOf(bytes, file));
  const runs: ReadRun[] = [];
  let before: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] as NumberedLine;
    const isJson = /^(?:\{\s*(?:"|$)|\[\s*(?:\{|$))/.test(line.text);
    const read = isJson ? readJson(lines, at, file) : readText(lines, at, file);
    if (read === undefined) {
      before.push(line.text);
      at += 1;
      continue;
    }
    const [first, last] = [line.number, read.lines.at(-1)?.number ?? line.number];
    const place = `${file}:${first === last ? first : `${first}-${last}`}`;
    const output = read.lines.map(({ text }) => text).join("\n");
    const made = namingPlace(place, () => read.runs((program) => readCommand(program, before), told));
    for (const run of made) checkTold({ ...run, place }, told);
    runs.push(...made.map((run) => ({ ...run, file, place, output })));
    before = [];
    at += read.lines.length;
  }
  if (runs.length === 0) {
    const first = lines.find(({ text }) => text.trim() !== "");
    throw new ImportError(
      `${file}:${first?.number ?? 1}: expected the output of ab, wrk, hey, oha, autocannon or k6, got ${quote(first?.text ?? "")}. ` +
        "Save all that the program prints, in English",
    );
  }
  return runs;
}

/** The lines of a run, or of a list of them, and how they are read. */
interface Read {
  readonly lines: readonly NumberedLine[];
  readonly runs: (command: (program: string) => ToldCommand, told: NotInOutput) => readonly ImportedRun[];
}

/** UTF-8, or UTF-16 with a mark, as PowerShell writes it; without colours. */
function textOf(bytes: Uint8Array, file: string): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  const text = withoutTerminalSequences(new TextDecoder(encoding).decode(bytes));
  const zero = text.indexOf("\0");
  if (zero === -1) return text;
  const line = text.slice(0, zero).split("\n").length;
  throw new ImportError(`${file}:${line}: expected text, got a zero byte. Save the output as text in UTF-8`);
}

/** Reads the block that begins at a line; `undefined` where none does. */
function readText(lines: readonly NumberedLine[], at: number, file: string): Read | undefined {
  const line = lines[at] as NumberedLine;
  if (line.text.startsWith("# lbbench: target ")) {
    throw new ImportError(
      `${file}:${line.number}: expected the output of a load generator, got the ab.txt of lbbench. ` +
        "The result.json beside it tells more: use lbbench report on it",
    );
  }
  const begun = READERS.filter(([, { layout }]) => beginsWith(layout, line))
    .map(([program, reader]) => ({ program, reader, printed: readPrinted(reader.layout, lines, at) }))
    .toSorted((a, b) => b.printed.lines.length - a.printed.lines.length);
  const best = begun.find(({ printed }) => printed.missing === undefined) ?? begun[0];
  if (best === undefined) {
    const [owner] = READERS.find(([, { layout }]) => isInside(layout, line)) ?? [];
    if (owner === undefined) return undefined;
    throw new ImportError(
      `${file}:${line.number}: expected all that ${owner} prints, from its first line on, got ${quote(line.text)} without what comes ` +
        "before. Save the whole output as it was printed",
    );
  }
  const { program, reader, printed } = best;
  const { lines: own, missing } = printed;
  if (missing === undefined) {
    return { lines: own, runs: (command, told) => [{ program, ...reader.read(printed, command(program), told) }] };
  }
  const failure = reader.gaveUp?.(printed);
  const { expected, line: got } = missing;
  if (failure === undefined) {
    throw new ImportError(
      `${file}:${got.number}: expected the line ${quote(expected)} of ${program}, got ${quote(got.text)}. Its output is cut, or its lines ` +
        "were broken: save all of it as it was printed",
    );
  }
  const version = printed.texts("banner")[0] ?? null;
  return { lines: own, runs: (command, told) => [{ program, version, ...levelOf(command(program), told), failure }] };
}

/** At which level a program gave up, as its command tells. */
function levelOf({ url, connections, requests, durationMs }: ToldCommand, told: NotInOutput) {
  const amount = requests === undefined ? { durationMs: durationMs ?? told.durationMs } : { requests };
  return { url, connections: connections ?? told.connections, amount };
}

/** Reads the JSON that begins at a line: that line alone, or all up to a bracket that closes it at the left margin. */
function readJson(lines: readonly NumberedLine[], at: number, file: string): Read {
  const first = lines[at] as NumberedLine;
  const end = lines.findIndex(({ text }, index) => index > at && /^[}\]]/.test(text));
  const own = tryJson([first]) === undefined ? lines.slice(at, end === -1 ? undefined : end + 1) : [first];
  const value = tryJson(own);
  const place = `${file}:${first.number}`;
  if (value === undefined) {
    throw new ImportError(`${place}: expected JSON, got a part of it, or damaged JSON. Save all that was printed`);
  }
  const runs: Read["runs"] = (command, told) =>
    [value.json].flat().map((json: unknown) => {
      const [run] = READERS.flatMap(([program, { readJson: read }]) => {
        const figures = read?.(json, command(program), told);
        return figures === undefined ? [] : [{ program, ...figures }];
      });
      if (run !== undefined) return run;
      const keys = isRecord(json) ? Object.keys(json).slice(0, 5).join(", ") : String(json);
      throw new ImportError(
        `${place}: expected the JSON of autocannon -j, of oha, or a summary of k6 (--summary-export), got an object with ${keys || "nothing"}`,
      );
    });
  return { lines: own, runs };
}

function tryJson(lines: readonly NumberedLine[]): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(lines.map(({ text }) => text).join("\n")) };
  } catch {
    return undefined;
  }
}

function namingPlace<Value>(place: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new ImportError(`${place}: ${error.message}. Save the whole output as it was printed`, { cause: error });
  }
}

function quote(text: string): string {
  return text.trim() === "" ? "nothing" : JSON.stringify(text.trim().slice(0, 80));
}

/** A run by time ends at most this part of it too early, or too late. */
const TOLERANCE = 0.1;
/** What a program takes beside that to come to its end. */
const SLACK_MS = 200;

/** Checks what is said beside a file against what its output tells, so that neither overrules the other. */
function checkTold(run: ImportedRun & Pick<ReadRun, "place">, told: NotInOutput): void {
  const { program, connections, sockets, amount, figures, place } = run;
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
  // Some wait for requests that are under way at the end.
  const lateMs = SLACK_MS + Math.max(latency?.max ?? 0, failedLatency?.max ?? 0);
  const isLike =
    elapsedMs >= told.durationMs * (1 - TOLERANCE) && elapsedMs <= told.durationMs * (1 + TOLERANCE) + lateMs;
  if (!isLike) fail(expected, "--duration", `took ${Math.round(elapsedMs)} ms`);
}
