import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, describeFailure } from "../config/config-error.js";
import { parseJson, readBounded } from "../config/read-file.js";
import { formatPath, validate } from "../config/validate.js";
import type { Result } from "../model/result.js";
import { checkHistogram } from "./check-histogram.js";
import { OutputError } from "./write-file.js";
import { resultSchema } from "../model/result-schema.js";
import { isRecord } from "../stats/plain-data.js";

/** The name of the result's file in a report's folder. */
export const RESULT_FILE = "result.json";

/** The version of the format that is read and written. */
const RESULT_VERSION = 1;

/** A run of 40,000 steps is half as large. */
const MOST_BYTES = 256 * 1024 ** 2;
const MOST_STEPS = 100_000;
/** A scenario with the options of plugins has ten levels or so. */
const MOST_LEVELS = 100;
const MOST_CHARACTERS = 1_000_000;
/** Of a run in all: lists are as long as there are seconds. */
const MOST_MS = 100 * 24 * 3_600_000;
const MOST_USERS = 1_000_000;
/** The largest numbers by their names: lists are as long as these say. */
const MOST_OF: ReadonlyMap<PropertyKey | undefined, number> = new Map([
  ["users", MOST_USERS],
  ["elapsedMs", MOST_MS],
  ["durationMs", MOST_MS],
  ["second", MOST_MS / 1000],
]);
/** Bodies of requests and printed output may be longer: no report shows them whole. */
const LONG: ReadonlySet<PropertyKey> = new Set(["body", "bodies", "expectBody", "output"]);

/** A result that was read, and where it was. */
export interface StoredResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly result: Result;
}

/**
 * Reads a result.json, given its path or its folder. Rejects with an {@link OutputError} when it is not there, is not
 * JSON, or is of another version, and with a `ConfigError` that names the fields when it is damaged.
 */
export async function readResult(given: string): Promise<StoredResult> {
  return readResultSync(given);
}

/** Reads as {@link readResult} does, but synchronously; throws the same errors. */
export function readResultSync(given: string): StoredResult {
  const resolved = resolve(given);
  const path = isFolder(resolved) ? join(resolved, RESULT_FILE) : resolved;
  return { path, result: toResult(read(path), path) };
}

/** Whether it is a folder. What cannot be looked at cannot be read either, and reading it says why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readBounded(path, MOST_BYTES).bytes.toString("utf8");
  } catch (cause) {
    const why = describeFailure(cause);
    throw new OutputError(`Expected a ${RESULT_FILE}, or the folder of a report, but ${path} cannot be read: ${why}`, {
      cause,
    });
  }
}

function toResult(text: string, path: string): Result {
  const content = parse(text, path);
  checkVersion(content, path);
  const damage = findExcess(content, []);
  if (damage !== undefined) throw new ConfigError(`${path}: ${damage}`);
  const result = validate(resultSchema, content, path);
  let elapsedMs = 0;
  for (const [index, { measurement }] of result.steps.entries()) {
    elapsedMs += measurement?.elapsedMs ?? 0;
    try {
      if (measurement?.histogram !== undefined) checkHistogram(measurement.histogram);
    } catch (error) {
      throw new ConfigError(`${path}: steps[${index}].measurement.histogram: ${describeFailure(error)}`);
    }
  }
  if (elapsedMs > MOST_MS)
    throw new ConfigError(`${path}: steps: expected at most ${MOST_MS} ms in all, got ${elapsedMs}`);
  return result;
}

/** The first place with a value that no result of lbbench has: too large, too long or below 0. Reading on would take memory or time for nothing. */
function findExcess(value: unknown, at: PropertyKey[]): string | undefined {
  if (typeof value === "string") {
    if (value.length <= MOST_CHARACTERS || at.some((key) => LONG.has(key))) return undefined;
    return `${formatPath(at)}: expected at most ${MOST_CHARACTERS} characters, got ${value.length}`;
  }
  const most = MOST_OF.get(at.at(-1));
  if (typeof value === "number") {
    if (most !== undefined && value > most) return `${formatPath(at)}: expected at most ${most}, got ${value}`;
    const isBelow = value < 0 && at[0] === "steps" && (at[2] === "measurement" || at[2] === "workers");
    return isBelow ? `${formatPath(at)}: expected a number of at least 0, got ${value}` : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (at.length === MOST_LEVELS) {
    return `${formatPath(at.slice(0, 3))}: expected at most ${MOST_LEVELS} levels inside each other`;
  }
  if (at.length === 1 && at[0] === "steps" && Array.isArray(value) && value.length > MOST_STEPS) {
    return `steps: expected at most ${MOST_STEPS}, got ${value.length}`;
  }
  // A large result is nearly all small numbers, and this loop passes them quickly.
  for (const key of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === "number" && inner >= 0 && inner <= MOST_USERS) continue;
    at.push(Array.isArray(value) ? Number(key) : key);
    const excess = findExcess(inner, at);
    if (excess !== undefined) return excess;
    at.pop();
  }
  return undefined;
}

function parse(text: string, path: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new OutputError(
      `Expected a ${RESULT_FILE}, but ${path} is not JSON: ${describeFailure(error)}. It was cut short or changed: copy it again, or start the run anew.`,
      { cause: error },
    );
  }
}

function checkVersion(content: unknown, path: string): void {
  const version = isRecord(content) ? content["version"] : undefined;
  if (version === RESULT_VERSION) return;
  const why =
    typeof version === "number" && version > RESULT_VERSION
      ? `is of version ${version}, and this lbbench reads version ${RESULT_VERSION}. A newer lbbench is needed.`
      : "says nothing of the sort. Is it a file that lbbench sweep has written?";
  throw new OutputError(`Expected a ${RESULT_FILE} of version ${RESULT_VERSION}, but ${path} ${why}`);
}
