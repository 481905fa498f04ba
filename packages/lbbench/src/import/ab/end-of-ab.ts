import { detectBeginning } from "../detect-format.js";
import { isCommand } from "../read-command.js";

type Lines = readonly string[];

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
export function endOfAb(lines: Lines, start: number): number {
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
