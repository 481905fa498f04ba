import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describeFailure, listWords, suggest } from "../config/config-error.js";
import { readBody, readBytes } from "../config/request-files.js";
import { flagOf, type Kind, type Setting } from "../config/settings.js";
import { formatPath } from "../config/validate.js";
import { ConfigError, parseDuration, parseSweepInput, type ParsedSweepInput } from "../index.js";
import type { Flags } from "./io.js";

/** Where paths begin. */
export interface Folders {
  /** Of the input. */
  readonly folder: string;
  /** Of flags. */
  readonly cwd: string;
}

/** A flag that was given. */
interface Given extends Folders {
  /** Without its value, for messages. */
  readonly flag: string;
  readonly text: string;
  readonly all: readonly string[];
  readonly setting: Setting;
}

const HIGHEST_PORT = 65_535;

/** How each kind is read. A word that is no number stays one where the input is checked later, which says what it expected. */
const READERS: Readonly<Record<Kind, (given: Given) => unknown>> = {
  text: ({ text }) => text,
  number: ({ text }) => (/^\d+$/.test(text) ? Number(text) : text),
  share: ({ text }) => readShare(text),
  switch: ({ setting }) => setting.value ?? true,
  repeat: ({ all }) => all,
  list: ({ text }) => splitList(text),
  headers: ({ all }) => readHeaders(all),
  // The encoding as well: the one in a config file is that of the body there.
  body: ({ text }) => ({ body: text, bodyEncoding: "utf8" }),
  bodyFile: ({ text, cwd }) => readBody(text, "--body-file", cwd),
  mixFile: ({ text, cwd }) => readMixFile(text, cwd),
  path: ({ text, folder, cwd }) => relative(folder, resolve(cwd, text)),
  time: ({ text, flag }) => naming(flag, () => parseDuration(text)),
  count: ({ text, flag }) => readCount(text, flag, 0),
  some: ({ text, flag }) => readCount(text, flag, 1),
  port: ({ text, flag }) => readPort(text, flag),
  content: ({ text, flag, cwd }) =>
    naming(flag, () => readFileSync(resolve(cwd, text), "utf8"), `cannot read ${text}: `),
};

/** Kinds whose value is several settings, which stand beside each other. */
const SEVERAL: ReadonlySet<Kind | undefined> = new Set(["body", "bodyFile"]);

/**
 * The input that flags spell out; a flag that was not given has no key. What an input is checked for later is handed over as it
 * is. Rejects with a `ConfigError` that names the flag.
 */
export async function flagsToInput(
  flags: Flags,
  settings: readonly Setting[],
  folders: Folders,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const setting of settings) {
    const { path, flags: own = "", kind = "text" } = setting;
    const value = flags[attributeOf(own)];
    const isGiven = value !== undefined && value !== own.startsWith("--no-");
    if (path === undefined || !isGiven) continue;
    const flag = flagOf(setting);
    const all = [value].flat().map(String);
    const read = await READERS[kind]({ ...folders, flag, text: all[0] ?? "", all, setting });
    const keys = path.split(".");
    if (SEVERAL.has(kind)) Object.assign(placeIn(input, keys.slice(0, -1)), read);
    else placeIn(input, keys.slice(0, -1))[keys.at(-1) ?? ""] = read;
  }
  return input;
}

/** The name under which commander hands a flag over: `livePort` for `--live-port <port>`. */
export function attributeOf(flags: string): string {
  const [, long = ""] = /--(?:no-)?([\w-]+)/.exec(flags) ?? [];
  return long.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function placeIn(input: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return keys.reduce((at, key) => (at[key] ??= {}) as Record<string, unknown>, input);
}

/** Reads something; what is wrong with it is thrown as a `ConfigError` that names the flag. */
export function naming<T>(flag: string, read: () => T, before = ""): T {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError(`${flag}: ${before}${describeFailure(cause)}`, { cause });
  }
}

/** Splits a list at its commas. */
export function splitList(text: string): readonly string[] {
  return text.split(",").map((word) => word.trim());
}

/** Reads a whole number; throws a `ConfigError` that names the flag for anything else, and for less than `least`. */
export function readCount(text: string, flag: string, least: number): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new ConfigError(`${flag}: expected a whole number of at least ${least}, got "${text}"`);
}

/** Reads a port; throws a `ConfigError` that names the flag for anything but 0 to 65535. */
export function readPort(text: string, flag: string): number {
  if (/^\d+$/.test(text) && Number(text) <= HIGHEST_PORT) return Number(text);
  throw new ConfigError(`${flag}: expected a port from 0 to ${HIGHEST_PORT}, got "${text}"`);
}

/** Reads one of a few words; throws a `ConfigError` that names the flag for any other. */
export function readWord<Word extends string>(text: string, words: readonly Word[], flag: string): Word {
  const word = words.find((one) => one === text);
  if (word !== undefined) return word;
  throw new ConfigError(`${flag}: expected ${listWords(words)}, got "${text}".${suggest(text, words)}`);
}

/** `2%` or `0.02`; a word that is neither stays as it is. */
function readShare(text: string): number | string {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  return number === undefined ? text : Number(number) / (percent === "%" ? 100 : 1);
}

/** The values of `-H` by name. */
function readHeaders(lines: readonly string[]): Record<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new ConfigError(`-H, --header: expected a header such as "Accept: application/json", got "${line}"`);
    }
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}

/** Reads the file of `--mix`, a JSON list of requests. Paths in it begin at its folder, and are made absolute. */
async function readMixFile(path: string, cwd: string): Promise<NonNullable<ParsedSweepInput["mix"]>> {
  const text = (await readBytes(path, "--mix", cwd)).toString("utf8");
  const content = naming(
    "--mix",
    (): unknown => JSON.parse(text),
    `expected a file of JSON, a list of requests such as [{"path": "/", "weight": 2}], got "${path}": `,
  );
  const place = ([, ...at]: readonly PropertyKey[]): string =>
    `--mix ${path}${at.length === 0 ? "" : `: ${formatPath(at)}`}`;
  const { mix = [] } = parseSweepInput({ mix: content }, place);
  const absolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(dirname(resolve(cwd, path)), file);
  return mix.map((entry) => ({ ...entry, bodyFile: absolute(entry.bodyFile), bodiesFile: absolute(entry.bodiesFile) }));
}
