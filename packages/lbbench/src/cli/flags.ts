import { dirname, relative, resolve } from "node:path";
import { Option } from "commander";
import { ConfigError, describeFailure, explained, listWords, suggest } from "../config/config-error.js";
import { HIGHEST_PORT, parseAddress, parseDuration, parseWorkers, readPart } from "../config/parsers.js";
import { flagOf, type Kind, type Setting } from "../config/field.js";
import type { ParsedSweepInput } from "../config/schema.js";
import type { Flags, ReadFlags } from "./io.js";

/** A flag with words. */
interface Given {
  readonly cwd: string;
  readonly folder: string;
  /** Without its value, for messages. */
  readonly flag: string;
  readonly text: string;
  readonly all: readonly string[];
  readonly setting: Setting;
}

/**
 * How each kind is read; what is thrown is said of the flag. A word that is no number stays one where the input is checked later, which
 * says what it expected.
 */
const READERS: Readonly<Record<Kind, (given: Given) => unknown>> = {
  text: ({ text }) => text,
  number: ({ text }) => (/^\d+$/.test(text) ? Number(text) : text),
  share: ({ text }) => {
    const part = text === "Infinity" ? Infinity : readPart(text);
    return Number.isNaN(part) ? text : part;
  },
  repeat: ({ all }) => all,
  contents: async ({ all, ...given }) => Promise.all(all.map(async (text) => readContent({ ...given, text }))),
  list: ({ text }) => text.split(",").map((word) => word.trim()),
  headers: ({ all }) => readHeaders(all),
  // The encoding as well: the one in a config file is that of the body there.
  body: ({ text }) => ({ body: text, bodyEncoding: "utf8" }),
  bodyFile: async ({ text, flag, cwd }) => (await import("../config/requests.js")).readBody(text, flag, cwd),
  mixFile: readMixFile,
  path: ({ text, folder, cwd }) => relative(folder, resolve(cwd, text)),
  word: ({ text, flag, setting: { words = [] } }) => readWord(text, words, flag),
  time: ({ text }) => parseDuration(text),
  address: ({ text }) => parseAddress(text),
  workers: ({ text }) => parseWorkers(text),
  count: readWhole("a whole number of at least 0", 0),
  some: readWhole("a whole number of at least 1", 1),
  port: readWhole(`a port from 0 to ${HIGHEST_PORT}`, 0, HIGHEST_PORT),
  content: readContent,
};

/** Kinds whose flags may be given several times. */
export const REPEATED: ReadonlySet<Kind> = new Set<Kind>(["repeat", "contents", "headers"]);

/** Kinds whose value is several settings, which stand beside each other. */
const SEVERAL: ReadonlySet<Kind> = new Set<Kind>(["body", "bodyFile"]);

/**
 * Reads the flags that were given; one that was not has no key. What an input is checked for later is handed over as it is. Rejects
 * with a `ConfigError` that names the flag. Paths begin at `cwd`, those of the input (`kind: "path"`) at `folder`.
 */
export async function readFlags<Own = Readonly<Record<string, unknown>>>(
  flags: Flags,
  settings: readonly Setting[],
  { cwd, folder = cwd }: { readonly cwd: string; readonly folder?: string | undefined },
): Promise<ReadFlags<Own>> {
  const read = { input: {}, own: {} };
  for (const setting of settings) {
    const { path, kind = "text", needs } = setting;
    const value = givenValue(setting, flags);
    if (value === undefined) continue;
    const flag = flagOf(setting);
    if (needs !== undefined && flags[attributeOf(needs)] === undefined) {
      throw new ConfigError(`${flag}: expected ${needs} beside it, without which it means nothing. Add ${needs}`);
    }
    const all = [value].flat().map(String);
    const given = { cwd, folder, flag, text: all[0] ?? "", all, setting };
    const known = typeof value === "boolean" ? (setting.value ?? true) : await naming(given, READERS[kind]);
    const keys = path === undefined ? ["own", attributeOf(setting.flags)] : ["input", ...path.split(".")];
    const place = keys
      .slice(0, -1)
      .reduce((at, key) => (at[key] ??= {}) as Record<string, unknown>, read as Record<string, unknown>);
    Object.assign(place, SEVERAL.has(kind) ? known : { [keys.at(-1) ?? ""]: known });
  }
  // Every flag was read as its row says.
  return read as ReadFlags<Own>;
}

/** What was typed for a setting; commander hands over `true` for `--no-x` that was not. */
export function givenValue({ flags: own = "" }: Setting, flags: Flags): Flags[string] {
  const value = flags[attributeOf(own)];
  return value === own.startsWith("--no-") ? undefined : value;
}

/** The name under which commander hands a flag over: `livePort` for `--live-port <port>`. */
export function attributeOf(flags = ""): string {
  return new Option(flags).attributeName();
}

/** Reads a flag; what is wrong with it is thrown as a `ConfigError` that names it. */
async function naming<T>(given: Given, read: (given: Given) => T): Promise<Awaited<T>> {
  try {
    return await read(given);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${given.flag}: ${describeFailure(cause)}`, { cause });
  }
}

async function readContent({ text, flag, cwd }: Pick<Given, "text" | "flag" | "cwd">): Promise<string> {
  return (await import("../config/requests.js")).readText(text, flag, cwd);
}

/**
 * What a server of ours complains of, with the flag that gave it in place of the option: `retries: expected ...` or, of one in a list,
 * `backends[0].weight: expected ...`. `undefined` where no flag gives it.
 */
export function nameByFlag(message: string, settings: readonly Setting[]): string | undefined {
  const [place = "", option, index = "0", inner = ""] = /^([\w.]+?)(?:\[(\d+)\]\.(\w+))?: /.exec(message) ?? [];
  const rest = message.slice(place.length);
  const find = (wanted?: string): Setting | undefined =>
    settings.find(({ path }) => path !== undefined && path === wanted);
  const whole = find(option);
  if (whole !== undefined) return `${flagOf(whole)}: ${inner === "" ? "" : `${inner}: `}${rest}`;
  const part = find(`${option}.${inner}`);
  return part && `${flagOf(part)}: ${index === "0" ? "" : `number ${Number(index) + 1}: `}${rest}`;
}

function readWhole(expected: string, least: number, most = Infinity) {
  return ({ text }: Given): number => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new Error(`expected ${expected}, got "${text}"`);
  };
}

/** Reads one of a few words; throws a `ConfigError` that names the flag for any other. */
export function readWord<Word extends string>(text: string, words: readonly Word[], flag: string): Word {
  const known = words.find((word) => word === text);
  if (known !== undefined) return known;
  throw new ConfigError(`${flag}: expected ${listWords(words)}, got "${text}".${suggest(text, words)}`);
}

/** The values of `-H` by name. */
function readHeaders(lines: readonly string[]): Record<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new Error(`expected a header such as "Accept: application/json", got "${line}"`);
    }
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}

/** Reads the file of `--mix`, a JSON list of requests. Paths in it begin at its folder, and are made absolute. */
async function readMixFile({ text: path, flag, cwd }: Given): Promise<NonNullable<ParsedSweepInput["mix"]>> {
  // Much code, which most command lines have no use for.
  const { parseSweepInput } = await import("../index.js");
  const { parseJson } = await import("../config/read-file.js");
  const { formatPath } = await import("../config/validate.js");
  const text = await readContent({ text: path, flag, cwd });
  const parse = async (): Promise<unknown> => parseJson(text);
  const expected = `expected a file of JSON, a list of requests such as [{"path": "/", "weight": 2}], got "${path}"`;
  const content = await explained(parse(), ConfigError, (why) => `${flag}: ${expected}: ${why}`);
  const place = ([, ...at]: readonly PropertyKey[]): string =>
    `${flag} ${path}${at.length === 0 ? "" : `: ${formatPath(at)}`}`;
  const { mix = [] } = parseSweepInput({ mix: content }, place);
  const absolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(dirname(resolve(cwd, path)), file);
  return mix.map((entry) => ({ ...entry, bodyFile: absolute(entry.bodyFile), bodiesFile: absolute(entry.bodiesFile) }));
}
