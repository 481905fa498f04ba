import { parseArgsStringToArgv } from "string-argv";
import { parseDuration } from "../config/parsers.js";

/** What the command above some output says of it; absent is what it does not say as a plain number. */
export type ToldCommand = Partial<ReturnType<typeof readCommand>>;

/** How a program is told its time: `-t 10` of ab is in seconds, `-z 10s` of hey has a unit. */
const TIME_FLAGS: Readonly<Record<string, string>> = { ab: "-t", hey: "-z", oha: "-z", wrk: "-d" };

/**
 * Reads the last command of a program in some lines: `$ hey -n 200 -c 50 http://127.0.0.1:8080/`. Nothing is taken for said that is not
 * there, so no default of the program is.
 */
export function readCommand(program: string, lines: readonly string[]) {
  const pattern = new RegExp(String.raw`(?:^|[\s;|&$#%>(])(?:[\w./~-]*/)?${program}\s+((?:-|https?:).*)$`);
  const text = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1) ?? "";
  const args = parseArgsStringToArgv(text.split(/\s(?:[|;]|&&|\d?>)/)[0] ?? "");
  const [connections, requests, duration] = ["-c", "-n", TIME_FLAGS[program] ?? ""].map((flag) => valueOf(args, flag));
  return {
    url: args.find((one) => /^https?:\/\//.test(one) && URL.canParse(one)),
    connections: countIn(connections),
    requests: countIn(requests),
    durationMs: duration === undefined ? undefined : durationOf(program === "ab" ? `${duration}s` : duration),
  };
}

/** Of `-c 10`, `-c10` and `-c=10`. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  if (at !== -1) return args[at + 1];
  return args.flatMap((arg) => new RegExp(`^${flag}=?(\\d.*)`).exec(arg)?.[1] ?? [])[0];
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
