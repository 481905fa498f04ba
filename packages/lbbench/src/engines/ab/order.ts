import type { Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import type { ProgramOrder } from "../driven-program/create-program-engine.js";
import { programTarget, requestBody } from "../driven-program/program-target.js";
import { secondsAtLeast } from "../driven-program/whole-seconds.js";

/** The file that ab writes percentiles to, in ms to the microsecond. */
export const PERCENTILES_FILE = "percentiles.csv";
const BODY_FILE = "body";

/**
 * A run for a time ends at this many requests as well, and ab takes 40 bytes for each beforehand: far more than it sends in
 * a second, and not more than it can have in all.
 */
const MOST_PER_SECOND = 250_000;
const MOST_REQUESTS = 50_000_000;

/** Puts a load to ab: its arguments, and the files that they name. */
export function orderAb(load: Load): ProgramOrder {
  const { level, timeoutMs, keepAlive } = load;
  const { url, headers } = programTarget(load);
  const { args: ofMethod, files, isWithBody } = methodArgs(load);
  const isType = ([name]: readonly [string, string]): boolean => isWithBody && name.toLowerCase() === "content-type";
  return {
    args: [
      // No progress; a line for each failure to receive, which does not end the run.
      "-q",
      "-v",
      "1",
      "-r",
      ...(keepAlive ? ["-k"] : []),
      "-c",
      String(closedConnections(level)),
      "-s",
      String(secondsAtLeast(timeoutMs)),
      ...amountArgs(load),
      "-e",
      PERCENTILES_FILE,
      ...ofMethod,
      ...headers.flatMap((line) => (isType(line) ? ["-T", line[1]] : ["-H", `${line[0]}: ${line[1]}`])),
      url,
    ],
    files,
    reads: [PERCENTILES_FILE],
  };
}

/** `-t` sets a number of requests of its own, so that `-n` comes after it. */
function amountArgs({ level: { requests, durationMs = 0 } }: Load): readonly string[] {
  if (requests !== undefined) return ["-n", String(requests)];
  const seconds = secondsAtLeast(durationMs);
  return ["-t", String(seconds), "-n", String(Math.min(MOST_REQUESTS, seconds * MOST_PER_SECOND))];
}

interface MethodArgs {
  readonly args: readonly string[];
  readonly files: ProgramOrder["files"];
  readonly isWithBody: boolean;
}

function methodArgs(load: Load): MethodArgs {
  const { method } = load.request;
  const body = requestBody(load) ?? new Uint8Array();
  switch (method) {
    case "GET":
      return { args: [], files: {}, isWithBody: false };
    case "HEAD":
      return { args: ["-i"], files: {}, isWithBody: false };
    case "POST":
      return { args: ["-p", BODY_FILE], files: { [BODY_FILE]: body }, isWithBody: true };
    case "PUT":
      return { args: ["-u", BODY_FILE], files: { [BODY_FILE]: body }, isWithBody: true };
    default:
      return { args: ["-m", method], files: {}, isWithBody: false };
  }
}
