import { parseArgsStringToArgv } from "string-argv";
import { parseDuration } from "../config/parse-values.js";

/** What a command that stands before a block says of it; absent is what it does not say as a plain number. */
export interface ToldCommand {
  readonly url?: string;
  readonly connections?: number;
  readonly requests?: number;
  readonly durationMs?: number;
}

/** How a program is told its time: `-t 10` of ab is in seconds, `-z 10s` of hey has a unit. */
const TIME_FLAGS: ReadonlyMap<string, string> = new Map([
  ["ab", "-t"],
  ["hey", "-z"],
]);

const BEFORE_PROGRAM = "(?:^|[\\s;|&$#%>(])(?:[\\w./~-]*/)?";
const PROMPT = /^(?:[\w.-]+@\S*)?[$%>] /;
const COMMAND = new RegExp(`${BEFORE_PROGRAM}(?:ab|wrk|hey|autocannon|k6|lbbench)\\s+(?:-|https?:|run )`);

/** Whether a line has a prompt, or a command of one of the programs whose output is read. */
export function isCommand(line: string): boolean {
  return PROMPT.test(line) || COMMAND.test(line);
}

/**
 * Reads the last command of a program in the lines before a block: `$ hey -n 200 -c 50 http://127.0.0.1:8080/`. Nothing is taken for
 * said that is not there, so no default of the program is.
 */
export function readCommand(program: string, before: readonly string[]): ToldCommand {
  const pattern = new RegExp(`${BEFORE_PROGRAM}${program}\\s+((?:-|https?:).*)$`);
  const [, text] =
    before.flatMap((line) => [pattern.exec(line) ?? []]).findLast(([found]) => found !== undefined) ?? [];
  if (text === undefined) return {};
  const args = parseArgsStringToArgv(text.split(/\s(?:[|;]|&&|\d?>)/)[0] ?? "");
  const url = args.find((one) => /^https?:\/\//.test(one) && URL.canParse(one));
  return {
    ...(url === undefined ? {} : { url }),
    ...whole("connections", valueOf(args, "-c")),
    ...whole("requests", valueOf(args, "-n")),
    ...duration(program, valueOf(args, TIME_FLAGS.get(program) ?? "")),
  };
}

function valueOf(args: readonly string[], flag: string): string | undefined {
  if (flag === "") return undefined;
  const at = args.findIndex((arg) => arg === flag);
  if (at !== -1) return args[at + 1];
  return args.find((arg) => new RegExp(`^${flag}=?\\d`).test(arg))?.replace(new RegExp(`^${flag}=?`), "");
}

function whole(name: "connections" | "requests", text: string | undefined): ToldCommand {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? { [name]: Number(text) } : {};
}

function duration(program: string, text: string | undefined): ToldCommand {
  if (text === undefined) return {};
  try {
    return { durationMs: parseDuration(program === "ab" ? `${text}s` : text) };
  } catch {
    return {};
  }
}
