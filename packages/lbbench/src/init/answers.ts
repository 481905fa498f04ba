import { parseArgsStringToArgv } from "string-argv";
import { ConfigError } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { nameFlag } from "../config/settings.js";
import { sweepInputSchema } from "../config/sweep-input.js";
import { validate } from "../config/validate.js";
import { CONFIG_FORMATS, type ConfigFormat, type Folder } from "./folder.js";

/** A program that lbbench starts, or so many of it behind the balancer, compared with one alone. */
export type Program =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "balanced"; readonly command: string; readonly backends: number };

/** What is to be measured; `samples` are the sample servers of lbbench. */
export type Subject = Program | { readonly kind: "url"; readonly url: string } | { readonly kind: "samples" };

/** What `lbbench init` has to know before it writes. */
export interface Answers {
  readonly subject: Subject;
  /** Levels, as a config has them: `"1,50,100"`. */
  readonly connections: string;
  /** Time per step: `"3s"`. */
  readonly duration: string;
  readonly thresholds: readonly string[];
  readonly format: ConfigFormat;
  /** Whether npm scripts are added to package.json. */
  readonly scripts: boolean;
  /** Whether a workflow of GitHub is written that compares base and head of a pull request. */
  readonly workflow: boolean;
}

/** The flags of `lbbench init`, by attribute, as they were typed. */
export type InitFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * The answers that flags give. Throws a `ConfigError` for one that cannot be done, or two that contradict each other.
 *
 * @param guessed command that starts the program of the folder, if any, for `--backends` without `--command`.
 */
export function readInitFlags(flags: InitFlags, guessed: string | undefined): Partial<Answers> {
  const { keep, force, connections, duration, threshold, format, scripts, workflow } = flags;
  if (keep === true && force === true) throw new ConfigError("--force: expected one of --keep and --force, got both");
  const subject = readSubject(flags, guessed);
  const given = {
    connections,
    duration,
    thresholds: threshold,
    scripts,
    workflow,
    subject,
    format: readFormat(format),
  };
  const answers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  checkInput(answers);
  return answers;
}

/** Throws a `ConfigError` where connections, duration or thresholds are not those of a config. */
function checkInput({ connections, duration, thresholds }: Partial<Answers>): void {
  const given = Object.entries({ connections, duration, thresholds }).filter(([, value]) => value !== undefined);
  validate(sweepInputSchema, Object.fromEntries(given), nameFlag);
}

/** What is wrong with connections or thresholds that were typed; `undefined` where nothing is. */
export function problemOf(input: Partial<Answers>): string | undefined {
  try {
    checkInput(input);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(/^[^:]*: /, "");
    throw error;
  }
}

function readFormat(given: InitFlags[string]): ConfigFormat | undefined {
  const format = CONFIG_FORMATS.find((one) => one === given);
  if (given === undefined || format !== undefined) return format;
  throw new ConfigError(`--format: expected ts, js, mjs or json, got ${JSON.stringify(given)}`);
}

function readSubject({ url, command, backends, samples }: InitFlags, guessed: string | undefined): Subject | undefined {
  const program = command === undefined ? "--backends" : "--command";
  const isProgram = command !== undefined || backends !== undefined;
  const [first, second] = [
    ...(url === undefined ? [] : ["--url"]),
    ...(isProgram ? [program] : []),
    ...(samples === true ? ["--samples"] : []),
  ];
  if (second !== undefined) throw new ConfigError(`${second}: expected one of ${first} and ${second}, got both`);
  if (url !== undefined) return { kind: "url", url: checked("--url", String(url), checkUrl) };
  if (samples === true) return { kind: "samples" };
  if (!isProgram) return undefined;
  const line = command ?? guessed;
  if (line === undefined) {
    throw new ConfigError(
      '--backends: expected --command beside it, because nothing here tells how the program is started. Add --command "node server.js"',
    );
  }
  const given = checked("--command", String(line).trim(), checkCommand);
  if (backends === undefined) return { kind: "command", command: given };
  const count = checked("--backends", String(backends), checkBackendCount);
  return { kind: "balanced", command: given, backends: Number(count) };
}

function checked(flag: string, text: string, check: (text: string) => string | undefined): string {
  const problem = check(text);
  if (problem !== undefined) throw new ConfigError(`${flag}: ${problem}`);
  return text;
}

/** What is taken for an answer where none is given: what the folder tells, or else the defaults. */
export function defaultAnswers(folder: Folder): Answers {
  const command = guessCommand(folder);
  return {
    subject: command === undefined ? { kind: "samples" } : { kind: "command", command },
    connections: DEFAULTS.connections.join(","),
    duration: `${DEFAULTS.durationMs / 1000}s`,
    thresholds: DEFAULTS.init.thresholds,
    format: defaultFormat(folder),
    scripts: folder.manifest !== undefined,
    workflow: false,
  };
}

/** That of the config that is there; TypeScript in a project that uses it; a module elsewhere, which runs as it is. */
function defaultFormat({ configs, names, manifest }: Folder): ConfigFormat {
  const { devDependencies, dependencies } = manifest?.content ?? {};
  const isInstalled = "typescript" in Object.assign({}, devDependencies, dependencies);
  return configs[0] ?? (names.has("tsconfig.json") || isInstalled ? "ts" : "mjs");
}

/** Files that programs are usually started from. */
const USUAL = ["server.js", "server.mjs", "app.js", "index.js", "index.mjs"] as const;

/**
 * The command that starts the program of a folder: the script `start` itself where it needs no shell, `npm start` where it
 * does, or else Node with `main` or a file of a usual name. `undefined` where nothing tells.
 */
export function guessCommand({ manifest, names }: Pick<Folder, "manifest" | "names">): string | undefined {
  const { start } = (manifest?.content.scripts ?? {}) as { readonly start?: unknown };
  if (typeof start === "string" && start.trim() !== "") return runsWithoutShell(start) ? start.trim() : "npm start";
  const main = manifest?.content.main;
  const files = [...(typeof main === "string" ? [main.replace(/^\.\//, "")] : []), ...USUAL];
  const file = files.find((one) => names.has(one) && /^[\w.-]+\.[cm]?js$/.test(one));
  return file === undefined ? undefined : `node ${file}`;
}

/** A script finds programs of node_modules by npm; Node is found without. */
function runsWithoutShell(script: string): boolean {
  return /^node\s/.test(script) && findShellWord(script) === undefined;
}

/**
 * The word of a command line that a shell would understand in another way, and that is not in quotes against it: `&&`, `|`, `>log`, a
 * variable, names of files, a line break. `undefined` where there is none.
 */
function findShellWord(line: string): string | undefined {
  const bare = line.replaceAll(/'[^']*'|"[^"]*"/g, (quoted) =>
    quoted.startsWith("'") ? "_".repeat(quoted.length) : quoted.replaceAll(/[^$`]/g, "_"),
  );
  const found = /[^\s]*(?:[|&;<>$`*?]|\p{Cc})[^\s]*/u.exec(bare);
  return found === null ? undefined : line.slice(found.index, found.index + found[0].length);
}

/** What is wrong with a command that is run without a shell; `undefined` for one that can be run. */
export function checkCommand(command: string): string | undefined {
  const [program] = parseArgsStringToArgv(command);
  if (program === undefined) return 'expected a program and its arguments, such as "node server.js"';
  const word = findShellWord(command);
  if (word !== undefined) {
    return `expected a program and its arguments, got ${JSON.stringify(word)} among them, which only a shell understands: make it a script of package.json, and give "npm run NAME"; or put it in single quotes where it is meant as it stands`;
  }
  if (/^\w+=/.test(program)) {
    return `expected a program and its arguments, got "${program}" first: the environment goes into the option env of the target, in the config`;
  }
  return undefined;
}

/** What is wrong with a URL that is to be measured; `undefined` for one that can be. */
export function checkUrl(text: string): string | undefined {
  const isUrl = /^(https?|grpcs?):\/\/[^/]/i.test(text) && URL.canParse(text);
  return isUrl ? undefined : `expected a URL such as http://127.0.0.1:3000/, got ${JSON.stringify(text)}`;
}

/** Processes of a program that are started on one machine. */
const MOST_BACKENDS = 100;

/** What is wrong with the number of backends that was typed; `undefined` for one that can be started. */
export function checkBackendCount(text: string): string | undefined {
  const isCount = /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_BACKENDS;
  return isCount ? undefined : `expected a whole number from 1 to ${MOST_BACKENDS}, got ${JSON.stringify(text)}`;
}
