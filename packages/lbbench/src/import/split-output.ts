import { ImportError, type Block } from "./imported-run.js";
import { isCommand } from "./read-command.js";

const SHOWN_LENGTH = 80;

/**
 * Splits a file into the outputs of its runs. Other text may stand between them, such as prompts, but no figures. Throws an
 * {@link ImportError} that names the line for a file without any run, for figures outside of one, and for one that is cut.
 *
 * @param file its name, for messages.
 */
export function splitBlocks(text: string, file: string): readonly Block[] {
  const all = text.split("\n");
  const blocks: Block[] = [];
  let before: string[] = [];
  for (let at = 0; at < all.length; at += 1) {
    const line = all[at] ?? "";
    const beginning = detectBeginning(line, all[at + 1] ?? "");
    if (beginning === undefined) {
      refuseFigures(line, `${file}:${at + 1}`);
      before.push(line);
      continue;
    }
    if ("instead" in beginning) throw new ImportError(`${file}:${at + 1}: this is ${beginning.instead}`);
    const { program } = beginning;
    const end = endOfBlock(program, all, at, file);
    blocks.push({ program, lines: all.slice(at, end), first: at + 1, last: end, before });
    before = [];
    at = end - 1;
  }
  if (blocks.length === 0) throw nothingKnown(all, file);
  return blocks;
}

function refuseFigures(line: string, place: string): void {
  const program = figuresOf(line);
  if (program === undefined) return;
  throw new ImportError(
    `${place}: these are figures of ${program}, and what its output begins with is missing: expected all of it, got ${show(line)}`,
  );
}

function nothingKnown(lines: readonly string[], file: string): ImportError {
  const first = lines.findIndex((line) => line.trim() !== "");
  const got = first === -1 ? "nothing" : show(lines[first] ?? "");
  return new ImportError(
    `${file}:${Math.max(1, first + 1)}: expected what ab, wrk or hey prints (in English), or the JSON of autocannon -j or of k6's summary; got ${got}`,
  );
}

function show(line: string): string {
  return JSON.stringify(line.slice(0, SHOWN_LENGTH));
}

/** Says where the output of a program begins, by its content. */
type Beginning =
  | { readonly program: "ab" | "wrk" | "hey" | "json" }
  /** Output that is known, and has too little in it. */
  | { readonly instead: string };

const AB_LABELS = /^(?:Server Software|Server Hostname|Document Path|Document Length):/;
const AB_BANNER = /^This is ApacheBench, Version /;

/** Returns what begins at a line, given the one after it; `undefined` where nothing does. */
function detectBeginning(line: string, next: string): Beginning | undefined {
  if (/^\uFEFF?\s*\{\s*(?:"|$)/.test(line)) return { program: "json" };
  if (AB_BANNER.test(line) || AB_LABELS.test(line)) return { program: "ab" };
  if (/^Summary:\s*$/.test(line) && /^ {2}Total:\t/.test(next)) return { program: "hey" };
  if (/^Running .+ test @ /.test(line)) {
    return /^\d+ connections/.test(next.trim()) && !/threads?/.test(next)
      ? { instead: "a table of autocannon, expected its JSON: save what autocannon -j prints" }
      : { program: "wrk" };
  }
  if (/^\uFEFF?\s*\[\s*(?:\{|$)/.test(line) && /^\s*[{"]/.test(line.replace(/^\uFEFF?\s*\[\s*/, "") || next)) {
    return { instead: "a list of JSON, expected one object after another: save what jq -c '.[]' makes of it" };
  }
  return INSTEAD.flatMap(([pattern, instead]) => (pattern.test(line) ? [{ instead }] : []))[0];
}

const INSTEAD: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /^\s*http_req_duration\.*:|^\s*█ (?:TOTAL RESULTS|THRESHOLDS)/,
    "a summary of k6 as text, expected it as JSON: k6 run --summary-export FILE",
  ],
  [/^ +min +avg +max$/, "ab without median and deviation (-S), expected both: run ab without -S"],
  [
    /^ *This is ApacheBench, Version .*<br>$|^<tr\b.*>Server Software:<\/th>/,
    "ab in HTML (-w), expected text: run ab without -w",
  ],
  [/^unable to (?:connect to|resolve) /, "wrk giving up, which tells no figures: leave it out"],
  [/^Req\/Bytes counts sampled/, "a table of autocannon, expected its JSON: save what autocannon -j prints"],
  [/^response-time,DNS\+dialup,/, "single requests of hey (-o csv), expected its summary: leave out -o csv"],
];

/** Lines that have figures of a program, and stand in a block of it. */
const FIGURES: readonly (readonly [program: string, pattern: RegExp])[] = [
  [
    "ab",
    /^(?:Concurrency Level|Time taken for tests|Complete requests|Failed requests|Non-2xx responses|Keep-Alive requests|Total transferred|HTML transferred|Requests per second|Time per request|Transfer rate|Connection Times \(ms\)|Connect|Processing|Waiting|Percentage of the requests)\b|^ +\d+% +\d+(?: \(longest request\))?$/,
  ],
  ["wrk", /^ +Thread Stats\b|^ +Latency Distribution|^ +\d+ requests in \S+, |^(?:Requests|Transfer)\/sec: /],
  [
    "hey",
    /^ {2}(?:Total|Slowest|Fastest|Average|Requests\/sec):\t|^(?:Status code|Latency|Error) distribution:|^Response time histogram:/,
  ],
];

/** Names the program that a line has figures of; `undefined` for any other line. */
export function figuresOf(line: string): string | undefined {
  return FIGURES.find(([, pattern]) => pattern.test(line))?.[0];
}

type Lines = readonly string[];

/**
 * Returns where a block ends that begins at a line: the index of the line after it. Throws an {@link ImportError} where it does not
 * come to its end.
 */
function endOfBlock(program: Block["program"], lines: Lines, start: number, file: string): number {
  switch (program) {
    case "json":
      return endOfJson(lines, start, file);
    case "ab":
      return endOfAb(lines, start);
    case "wrk":
      return endAfter(lines, start, /^Transfer\/sec: /, file, '"Transfer/sec:" of wrk');
    case "hey":
      return endOfHey(lines, start, file);
  }
}

function endOfHey(lines: Lines, start: number, file: string): number {
  const expected = '"Status code distribution:" of hey';
  const end = endOfRows(lines, endAfter(lines, start, /^Status code distribution:$/, file, expected));
  let next = end;
  while (next < lines.length && lines[next] === "" && next - end < 3) next += 1;
  if (lines[next] !== "Error distribution:") return next;
  const last = endOfRows(lines, next + 1);
  if (last < lines.length) return last;
  throw new ImportError(
    `${file}:${last}: the output that begins in line ${start + 1} is cut: expected a line break after the last error of hey, none came`,
  );
}

function endOfRows(lines: Lines, start: number): number {
  let end = start;
  while (end < lines.length && /^ {2}\[\d+\]\t/.test(lines[end] ?? "")) end += 1;
  return end;
}

function endAfter(lines: Lines, start: number, last: RegExp, file: string, expected: string): number {
  for (let at = start + 1; at < lines.length; at += 1) {
    if (last.test(lines[at] ?? "")) return at + 1;
    if (detectBeginning(lines[at] ?? "", lines[at + 1] ?? "") !== undefined) {
      throw new ImportError(
        `${file}:${at + 1}: expected a line with ${expected}, which began in line ${start + 1}, before something else begins`,
      );
    }
  }
  throw new ImportError(
    `${file}:${lines.length}: the output that begins in line ${start + 1} is cut: expected a line with ${expected}, none came`,
  );
}

/** What stands above the figures, in the order of ab. */
const LABELS = ["Server Software:", "Server Hostname:", "Document Path:", "Document Length:"] as const;

/** Lines that ab prints, also those that have no figures. */
const SHAPES: readonly RegExp[] = [
  /^(?:This is ApacheBench, Version |Copyright \d|Licensed to |Benchmarking |Completed \d+ requests|Finished \d+ requests|Total of \d+ )/,
  /^(?:Server (?:Software|Hostname|Port)|SSL\/TLS Protocol|Server Temp Key|TLS Server Name|Document (?:Path|Length)):/,
  /^(?:Concurrency Level|Time taken for tests|Complete requests|Failed requests|Write errors|Non-2xx responses|Keep-Alive requests):/,
  /^(?:Total transferred|Total body sent|Total PUT|Total POSTed|HTML transferred|Requests per second|Time per request|Transfer rate):/,
  /^(?:Connection Times \(ms\)|Connect:|Processing:|Waiting:|Total:|Percentage of the requests served)/,
  /^ {3}\(Connect: |^ {10,}(?:min +|\d+\.\d+ kb\/s )|^ *\d+% +\d|^(?:WARNING|ERROR): The median|^ {8}These results /,
  /^apr_\w+: |^SSL .*failed|^Test aborted after /,
];
/** After it ab prints no figures. */
const GAVE_UP = /^(?:Benchmarking .*\.{3} ?)?(?:apr_\w+: .* \(\d+\)|Test aborted after )/;

/**
 * Returns where a block of ab ends: after its last line that ab prints, so that the command or comment of the next one is not in it. Which
 * lines it has to have depends on its figures (of a single request there are no percentiles, and none of a run that ab gave up), so
 * that whether it is whole is for its reader to say.
 */
function endOfAb(lines: Lines, start: number): number {
  let end = start + 1;
  let label = LABELS.findIndex((one) => lines[start]?.startsWith(one));
  let hasGivenUp = false;
  for (let at = start + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const next = LABELS.findIndex((one) => line.startsWith(one));
    if (next !== -1 && (next <= label || hasGivenUp)) break;
    if (next === -1 && (beginsAnother(line, lines[at + 1] ?? "") || isCommand(line))) break;
    if (next !== -1) label = next;
    if (GAVE_UP.test(line)) hasGivenUp = true;
    if (isLineOfAb(line)) end = at + 1;
    if (/^ *100% .*\(longest request\)$/.test(line)) break;
  }
  return end;
}

/** Whether ab prints lines that begin so. */
export function isLineOfAb(line: string): boolean {
  return SHAPES.some((shape) => shape.test(line));
}

function beginsAnother(line: string, next: string): boolean {
  return line.startsWith("# lbbench: target ") || detectBeginning(line, next) !== undefined;
}

/**
 * Returns where a JSON object ends that begins at a line: the index of the line after it. What follows it in its last line is
 * refused, because nothing prints that.
 */
function endOfJson(lines: readonly string[], start: number, file: string): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    for (let column = 0; column < line.length; column += 1) {
      const character = line[column];
      if (isText) {
        if (character === "\\") column += 1;
        else if (character === '"') isText = false;
      } else if (character === '"') isText = true;
      else if (character === "{" || character === "[") depth += 1;
      else if (character === "}" || character === "]") depth -= 1;
      if (depth === 0 && !isText && /[}\]]/.test(character ?? "")) {
        const rest = line.slice(column + 1).trim();
        if (rest === "") return at + 1;
        throw new ImportError(
          `${file}:${at + 1}: expected nothing after the JSON that begins in line ${start + 1}, got ${JSON.stringify(rest.slice(0, 40))}`,
        );
      }
    }
    // JSON has no line breaks in texts.
    if (isText && at + 1 < lines.length)
      throw new ImportError(`${file}:${at + 1}: expected JSON, got a text that is not closed in its line`);
  }
  throw new ImportError(
    `${file}:${lines.length}: the JSON that begins in line ${start + 1} is cut: expected "}" at its end, none came`,
  );
}
