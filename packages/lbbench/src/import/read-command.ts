import { parseArgsStringToArgv } from "string-argv";
import { parseDuration } from "../config/parsers.js";

/** What a command that stands before a block says of it; absent is what it does not say as a plain number. */
export type ToldCommand = Partial<ReturnType<typeof readCommand>>;

/** How a program is told its time: `-t 10` of ab is in seconds, `-z 10s` of hey has a unit. */
const TIME_FLAGS: ReadonlyMap<string, string> = new Map([
  ["ab", "-t"],
  ["hey", "-z"],
  ["oha", "-z"],
  ["wrk", "-d"],
]);

const BEFORE_PROGRAM = String.raw`(?:^|[\s;|&$#%>(])(?:[\w./~-]*/)?`;
const PROMPT = /^(?:[\w.-]+@\S*)?[$%>] /;
const COMMAND = new RegExp(String.raw`${BEFORE_PROGRAM}(?:ab|wrk|hey|oha|autocannon|k6|lbbench)\s+(?:-|https?:|run )`);

/** Whether a line has a prompt, or a command of one of the programs whose output is read. */
export function isCommand(line: string): boolean {
  return PROMPT.test(line) || COMMAND.test(line);
}

/**
 * Reads the last command of a program in the lines before a block: `$ hey -n 200 -c 50 http://127.0.0.1:8080/`. Nothing is taken for
 * said that is not there, so no default of the program is.
 */
export function readCommand(program: string, before: readonly string[]) {
  const pattern = new RegExp(String.raw`${BEFORE_PROGRAM}${program}\s+((?:-|https?:).*)$`);
  const text = before.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1) ?? "";
  const args = parseArgsStringToArgv(text.split(/\s(?:[|;]|&&|\d?>)/)[0] ?? "");
  const url = args.find((one) => /^https?:\/\//.test(one) && URL.canParse(one));
  const [connections, requests] = ["-c", "-n"].map((flag) => valueOf(args, flag));
  const duration = valueOf(args, TIME_FLAGS.get(program) ?? "-");
  return {
    url,
    connections: countIn(connections),
    requests: countIn(requests),
    durationMs: duration === undefined ? undefined : durationOf(program === "ab" ? `${duration}s` : duration),
  };
}

function valueOf(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  if (at !== -1) return args[at + 1];
  return args.find((arg) => new RegExp(`^${flag}=?\\d`).test(arg))?.replace(new RegExp(`^${flag}=?`), "");
}

function countIn(text = ""): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

function durationOf(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
