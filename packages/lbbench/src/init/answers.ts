import { parseArgsStringToArgv } from "string-argv";
import { ConfigError, refuse } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { refuseMetrics } from "../config/resolve.js";
import { nameFlag } from "../config/settings.js";
import { sweepInputSchema } from "../config/schema.js";
import { validate } from "../config/validate.js";
import { defined } from "../stats/defined.js";
import type { ConfigFormat, Folder } from "./folder.js";

/** A program that lbbench starts, or so many of it behind the balancer, compared with one alone. */
export type Program =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "balanced"; readonly command: string; readonly backends: number };

/** What is to be measured; `samples` are the sample servers of lbbench, `instead` of a program where none was found. */
export type Subject =
  | Program
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "samples"; readonly instead?: boolean };

/** Settings of a config that are asked for, as they are written there. */
interface Asked {
  /** Levels: `"1,50,100"`. */
  readonly connections: string;
  /** Time per step: `"3s"`; each command has a default of its own. */
  readonly duration?: string | undefined;
  readonly thresholds: readonly string[];
}

/** What `lbbench init` has to know before it writes. */
export interface Answers extends Asked {
  readonly subject: Subject;
  readonly format: ConfigFormat;
  /** Whether npm scripts are added to package.json. */
  readonly scripts: boolean;
  /** Whether a workflow of GitHub is written that compares base and head of a pull request. */
  readonly workflow: boolean;
}

/** The flags of `lbbench init` that say what is written. */
export interface AnswerFlags extends Partial<Pick<Answers, "format" | "scripts" | "workflow">> {
  readonly url?: string;
  readonly command?: string;
  readonly backends?: string;
  readonly samples?: boolean;
}

/** Thrown when the user leaves a question by Ctrl-C or Escape. */
export class QuestionLeft extends Error {
  override readonly name = "QuestionLeft";
}

/** How a question is answered; a {@link QuestionLeft} leaves all of them. */
export interface Ask {
  /** A line without blanks around it; `check` says what is wrong with one. */
  readonly line: (question: string, offered: string, check: (line: string) => string | undefined) => Promise<string>;
  readonly choice: <T extends string>(question: string, offered: T, labels: Record<T, string>) => Promise<T>;
  readonly yes: (question: string, offered: boolean) => Promise<boolean>;
}

/** Takes what is offered, where no user can be asked. */
export const TAKE_OFFERED: Ask = {
  line: async (_, offered) => offered,
  choice: async (_, offered) => offered,
  yes: async (_, offered) => offered,
};

/**
 * The answers that flags give, and those to questions about everything else. Rejects with a `ConfigError`, before anything is asked, for
 * a flag that cannot be done, or two that contradict each other.
 */
export async function findAnswers(
  flags: AnswerFlags,
  given: Partial<Asked>,
  folder: Folder,
  ask: Ask,
): Promise<Answers> {
  checkAsked(given);
  const guessed = guessCommand(folder);
  const subject = await findSubject(flags, guessed, ask);
  const isProgram = subject.kind === "command" || subject.kind === "balanced";
  const canHaveWorkflow = isProgram && folder.repositoryAbove === undefined;
  return {
    subject,
    connections:
      given.connections ??
      (await ask.line("Levels of load: connections kept busy", DEFAULTS.connections.join(","), (line) =>
        problemOf({ connections: line }),
      )),
    duration: given.duration,
    thresholds:
      given.thresholds ??
      splitList(
        await ask.line(
          "What every level has to keep, such as p99<50ms, errors<1% (empty: nothing)",
          DEFAULTS.init.thresholds.join(", "),
          (line) => problemOf({ thresholds: splitList(line) }),
        ),
      ),
    format: flags.format ?? (await ask.choice("Language of the config", defaultFormat(folder), FORMATS)),
    scripts:
      flags.scripts ?? (folder.manifest !== undefined && (await ask.yes("Add npm scripts to package.json?", true))),
    workflow:
      flags.workflow ??
      (canHaveWorkflow && (await ask.yes("Write a workflow that compares pull requests on GitHub?", false))),
  };
}

const FORMATS: Readonly<Record<ConfigFormat, string>> = {
  ts: "lbbench.config.ts",
  json: "lbbench.config.json (no comments)",
};

/** Throws a `ConfigError` for an answer that a config does not take. */
function checkAsked(given: Partial<Asked>): void {
  refuseMetrics(validate(sweepInputSchema, given, nameFlag), { faults: false, deadline: false });
}

function problemOf(given: Partial<Asked>): string | undefined {
  try {
    checkAsked(given);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(/^[^:]*: /, "");
    throw error;
  }
}

function splitList(line: string): readonly string[] {
  return line.split(",").flatMap((one) => one.trim() || []);
}

/** What is to be measured: as flags say, where one does, or else as is answered. */
async function findSubject(
  { url, command, backends, samples }: AnswerFlags,
  guessed: string | undefined,
  ask: Ask,
): Promise<Subject> {
  const flagOfProgram = command === undefined ? "--backends" : "--command";
  const flags: readonly (readonly [flag: string, value: unknown, kind: Subject["kind"]])[] = [
    ["--url", url, "url"],
    [flagOfProgram, command ?? backends, backends === undefined ? "command" : "balanced"],
    ["--samples", samples, "samples"],
  ];
  const [told, other] = flags.filter(([, value]) => value !== undefined);
  refuse(
    other && `${other[0]}: expected one of ${told?.[0]} and ${other[0]}, got both`,
    told?.[0] === "--backends" &&
      guessed === undefined &&
      '--backends: expected --command beside it, because nothing here tells how the program is started. Add --command "node server.js"',
  );
  const kind =
    told?.[2] ??
    (await ask.choice<Subject["kind"]>("What is to be measured?", guessed === undefined ? "samples" : "command", {
      command: "A program that lbbench starts",
      balanced: "Several of it behind a balancer",
      url: "A server that is running",
      samples: "Samples of lbbench, to try it",
    }));
  const answer = async (flag: string, given: string, ...asked: Parameters<Ask["line"]>): Promise<string> => {
    if (told === undefined) return ask.line(...asked);
    const problem = asked[2](given);
    refuse(problem && `${flag}: ${problem}`);
    return given;
  };
  if (kind === "samples")
    return { kind, ...defined({ instead: told === undefined ? guessed === undefined : undefined }) };
  if (kind === "url")
    return { kind, url: await answer("--url", url ?? "", "Its URL", "http://127.0.0.1:3000/", checkUrl) };
  const question = "The command that starts it; it listens on the port in PORT";
  const line = (command ?? guessed ?? "").trim();
  const program = await answer("--command", line, question, guessed ?? "", checkCommand);
  if (kind === "command") return { kind, command: program };
  const usual = String(DEFAULTS.balancedBackends);
  const count = await answer("--backends", backends ?? "", "How many", usual, checkBackendCount);
  return { kind, command: program, backends: Number(count) };
}

/** TypeScript, which lbbench reads everywhere, unless there is a config in JSON. */
function defaultFormat({ configs: [first] }: Folder): ConfigFormat {
  return first === "lbbench.config.json" ? "json" : "ts";
}

/** Files that programs are usually started from. */
const USUAL = ["server.js", "server.mjs", "app.js", "index.js", "index.mjs"] as const;

/**
 * The command that starts the program of a folder: the script `start` itself where it needs no shell, `npm start` where it
 * does, or else Node with `main` or a file of a usual name. `undefined` where nothing tells.
 */
export function guessCommand({ manifest, names }: Pick<Folder, "manifest" | "names">): string | undefined {
  const { start } = (manifest?.content.scripts ?? {}) as { readonly start?: unknown };
  if (typeof start === "string" && start.trim() !== "") {
    // A script finds programs of node_modules by npm; Node is found without.
    const isPlain = /^node\s/.test(start) && findShellWord(start) === undefined;
    return isPlain ? start.trim() : "npm start";
  }
  const main = manifest?.content.main;
  const files = [...(typeof main === "string" ? [main.replace(/^\.\//, "")] : []), ...USUAL];
  const file = files.find((one) => names.has(one) && /^[\w.-]+\.[cm]?js$/.test(one));
  return file === undefined ? undefined : `node ${file}`;
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
  const expected = "expected a program and its arguments";
  const [program] = parseArgsStringToArgv(command);
  if (program === undefined) return `${expected}, such as "node server.js", got ${JSON.stringify(command)}`;
  const word = findShellWord(command);
  if (word !== undefined) {
    return `${expected}, got ${JSON.stringify(word)} among them, which only a shell understands: make it a script of package.json, and give "npm run NAME"; or put it in single quotes where it is meant as it stands`;
  }
  if (!/^\w+=/.test(program)) return undefined;
  return `${expected}, got "${program}" first: the environment goes into the option env of the target, in the config`;
}

/** What is wrong with a URL that is to be measured; `undefined` for one that can be. */
export function checkUrl(text: string): string | undefined {
  const isUrl = /^(https?|grpcs?|wss?):\/\/[^/]/i.test(text) && URL.canParse(text);
  return isUrl ? undefined : `expected a URL such as http://127.0.0.1:3000/, got ${JSON.stringify(text)}`;
}

/** Processes of a program that are started on one machine. */
const MOST_BACKENDS = 100;

/** What is wrong with the number of backends that was typed; `undefined` for one that can be started. */
export function checkBackendCount(text: string): string | undefined {
  const isCount = /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_BACKENDS;
  return isCount ? undefined : `expected a whole number from 1 to ${MOST_BACKENDS}, got ${JSON.stringify(text)}`;
}
