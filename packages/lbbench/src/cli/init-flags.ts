import { ConfigError, parseSweepInput } from "../index.js";
import { CONFIG_FORMATS, type Answers, type ConfigFormat, type Subject } from "../init/answers.js";
import { checkBackendCount } from "../init/check-backend-count.js";
import { checkCommand } from "../init/check-command.js";
import { checkUrl } from "../init/check-url.js";
import { defined } from "./defined.js";
import { nameFlag } from "./flag-names.js";

/** The flags of `lbbench init` as commander hands them over. */
export interface InitFlags {
  readonly url?: string;
  readonly command?: string;
  readonly backends?: string;
  readonly samples?: boolean;
  readonly connections?: string;
  readonly duration?: string;
  readonly threshold?: readonly string[];
  readonly format?: string;
  readonly scripts?: boolean;
  readonly workflow?: boolean;
  readonly keep?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/**
 * The answers that flags give. Throws a `ConfigError` for one that cannot be done, or two that contradict each other.
 *
 * @param guessed command that starts the program of the folder, if any, for `--backends` without `--command`.
 */
export function readInitFlags(flags: InitFlags, guessed: string | undefined): Partial<Answers> {
  const { keep = false, force = false } = flags;
  if (keep && force) throw new ConfigError("--force: expected one of --keep and --force, got both");
  const { connections, duration, threshold: thresholds } = flags;
  parseSweepInput(defined({ connections, duration, thresholds }), nameFlag);
  return defined({
    subject: readSubject(flags, guessed),
    connections,
    duration,
    thresholds,
    format: readFormat(flags.format),
    scripts: flags.scripts,
    workflow: flags.workflow,
  });
}

function readFormat(given: string | undefined): ConfigFormat | undefined {
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
  if (url !== undefined) {
    refuse("--url", checkUrl(url));
    return { kind: "url", url };
  }
  if (isProgram) return readProgram(command ?? guessed, backends);
  return samples === true ? { kind: "samples" } : undefined;
}

function readProgram(line: string | undefined, backends: string | undefined): Subject {
  if (line === undefined) {
    throw new ConfigError(
      '--backends: expected --command beside it, because nothing here tells how the program is started. Add --command "node server.js"',
    );
  }
  const command = line.trim();
  refuse("--command", checkCommand(command));
  if (backends === undefined) return { kind: "command", command };
  refuse("--backends", checkBackendCount(backends));
  return { kind: "balanced", command, backends: Number(backends) };
}

function refuse(flag: string, problem: string | undefined): void {
  if (problem !== undefined) throw new ConfigError(`${flag}: ${problem}`);
}
