/**
 * Engines that drive a program. What is particular to one stands in its table, a {@link Program}; here a load is refused that it cannot do
 * exactly, put to it, run under a supervisor and made a measurement of.
 */
import { availableParallelism } from "node:os";
import type { ZodType } from "zod";
import { describeExit } from "../../system/fork.js";
import { locateProgram, readProgramVersion, type Installation, type VersionQuestion } from "../../system/program.js";
import { runProgram, type ProgramRun } from "../../system/supervise.js";
import type { ProgramCommand, ProgramEnd } from "../../system/supervisor-process.js";
import { MOST_OUTPUT } from "../../system/output.js";
import type { RequestSpec } from "../../model/scenario.js";
import type { AskedLoad, Engine, EngineSupport, Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { basicCredentials } from "../requests.js";
import { ProgramError, type ProgramFigures } from "./printed.js";
import { countOf } from "../../stats/count-of.js";

/** What every engine that drives a program can be told. */
export interface ProgramOptions {
  /** Name or path of the program. */
  readonly program: string;
}

/** What came of a program that has ended. */
export interface FinishedProgram extends Pick<ProgramEnd, "stdout" | "stderr" | "files"> {
  readonly asked: ProgramLoad;
  /** Whether it was interrupted, and tells what it had until then. */
  readonly interrupted: boolean;
}

/** What it tells of the run. */
export interface ToldFigures extends ProgramFigures {
  /** Requests that came to an end; absent where it cannot be asked for a number of them. */
  readonly ended?: number;
}

/** What a program cannot do exactly, in messages; `false` where that is not asked for. */
export type Refusals = readonly (string | false)[];

/** How a program is driven; all functions are pure. */
export interface Program<Options extends ProgramOptions = ProgramOptions> {
  readonly name: string;
  readonly installation: Installation;
  readonly version: Pick<VersionQuestion, "args" | "find">;
  readonly options: ZodType<Options>;
  /** Both without this. */
  readonly amounts?: EngineSupport["amounts"];
  /** Which times it can send for; timeouts are in whole seconds with all of them. */
  readonly durations: "whole seconds" | "any";
  readonly refuses: (asked: Pick<ProgramLoad, "request" | "connections" | "requests">, options: Options) => Refusals;
  /** Cores that it can keep busy, if there are so many. */
  readonly cores: (options: Options) => number;
  /** How a load is put to it. */
  readonly call: (
    asked: ProgramLoad,
    options: Options,
  ) => Omit<ProgramCommand, "argv"> & { readonly args: readonly string[] };
  /** Reads what it printed and wrote; throws a {@link ProgramError} when that cannot be understood. */
  readonly read: (finished: FinishedProgram) => ToldFigures;
}

/** Makes an engine that drives a program. It is used when it is asked for by name alone, because it may not be installed. */
export function createProgramEngine<Options extends ProgramOptions>(program: Program<Options>): Engine {
  const { name, amounts, installation, version: question } = program;
  /** Rejects when the program cannot do what is asked, or cannot be run. */
  const prepare = async (asked: AskedLoad, folder: string) => {
    const options = program.options.parse(asked.options);
    const refusal = refusalOf(program, asked, options);
    if (refusal !== undefined) throw new ProgramError(refusal);
    const path = locateProgram(options.program, folder);
    return { options, path, version: await readProgramVersion({ program: path, installation, ...question }) };
  };
  return {
    name,
    supports: {
      protocols: ["http"],
      loads: ["connections"],
      ...(amounts === undefined ? {} : { amounts }),
      keepAliveOff: true,
      automatic: false,
      expectations: false,
      generators: false,
      tlsVerification: false,
    },
    options: program.options as unknown as ZodType<Readonly<Record<string, unknown>>>,
    check: async (asked, { folder }) => void (await prepare(asked, folder)),
    run: async (load, context) => {
      // A warm-up is interrupted when its time is over, so that it may last as long as it likes.
      const levels = isWarmUp(load) ? [] : [load.level];
      const { options, path, version } = await prepare({ ...load, levels }, context.folder);
      const asked = programLoad(load);
      const { args, ...files } = program.call(asked, options);
      const argv = [path, ...args] as const;
      const cores = Math.min(program.cores(options), availableParallelism());
      const isEnded = isWarmUp(load) && asked.requests === undefined;
      const task = { name, command: { argv, ...files }, cores, ...(isEnded ? { stopAfterMs: asked.durationMs } : {}) };
      const run = await runProgram(task, context);
      const figures = figuresOf(program, load, run, context.signal);
      const { elapsedMs, requests } = figures;
      return {
        measurement: {
          startedAt: run.startedAt,
          connections: { asked: asked.connections },
          throughput: elapsedMs > 0 ? (requests.ok / elapsedMs) * 1000 : 0,
          timeline: [],
          ...figures,
          program: { name, version, command: argv, output: keptOutput(run.end) },
        },
        generators: run.generators,
        targetGone: false,
      };
    },
  };
}

/** What is to drain is not measured. */
function isWarmUp({ atEnd }: Load): boolean {
  return atEnd === "drain";
}

const SECOND_MS = 1000;

/** Says why a program cannot do exactly what is asked, and what it can; `undefined` when it can. */
export function refusalOf<Options extends ProgramOptions>(
  { name, durations, refuses }: Program<Options>,
  { request, timeoutMs, levels }: AskedLoad,
  options: Options,
): string | undefined {
  const refuseFractions = (what: string, flag: string, ms = SECOND_MS): string | false => {
    const down = Math.floor(ms / SECOND_MS);
    const near = down > 0 ? `${down}s or ${down + 1}s` : `${down + 1}s`;
    const isWhole = ms > 0 && ms % SECOND_MS === 0;
    return !isWhole && `${name} knows ${what} in whole seconds only: expected ${flag} ${near}, got ${ms} ms`;
  };
  const refusals = levels.flatMap((level) => [
    ...refuses({ request, connections: closedConnections(level), requests: level.requests }, options),
    refuseFractions("the timeout", "--timeout", timeoutMs),
    durations === "whole seconds" && refuseFractions("a duration", "-d", level.durationMs),
  ]);
  return refusals.find((refusal) => refusal !== false);
}

/** A load in the terms of programs. */
export type ProgramLoad = ReturnType<typeof programLoad>;

/** Puts a load in the terms of programs. */
export function programLoad({ url: address, level, request, timeoutMs, keepAlive }: Load) {
  const url = new URL(address);
  const credentials = basicCredentials(url);
  const isGiven = request.headers.some(([name]) => name.toLowerCase() === "authorization");
  [url.username, url.password, url.hash] = ["", "", ""];
  const authorization = credentials === undefined || isGiven ? [] : [["Authorization", credentials] as const];
  const sent: RequestSpec = { ...request, headers: [...authorization, ...request.headers] };
  const { requests, durationMs = 0 } = level;
  const secondsAtLeast = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND_MS));
  return {
    /** Without the credentials, which programs understand differently: they are a header of the request. */
    url: url.href,
    request: sent,
    body: request.body === null ? null : Buffer.from(request.body, request.bodyEncoding),
    connections: closedConnections(level),
    /** A number of requests, or a time: `durationMs`, which is 0 then, and whole seconds that are at least as long. */
    requests,
    durationMs,
    seconds: secondsAtLeast(durationMs),
    timeoutMs,
    timeoutSeconds: secondsAtLeast(timeoutMs),
    keepAlive,
  };
}

/** What the clock of a program may be behind ours. */
const TOLERANCE_MS = 10;

/** What a program tells of a run that has ended. Throws a {@link ProgramError} when that is not to be understood, or not what was asked for. */
export function figuresOf(
  { name, read }: Pick<Program, "name" | "read">,
  load: Load,
  { end, interrupted }: Pick<ProgramRun, "end" | "interrupted">,
  signal: AbortSignal,
): ProgramFigures {
  const asked = programLoad(load);
  try {
    // A program that is interrupted may tell what it has and call it a failure.
    if (!interrupted && (end.code !== 0 || end.signal !== null)) throw new ProgramError(describeEnd(name, end));
    if (end.stdout.length >= MOST_OUTPUT) {
      throw new ProgramError(`${name} printed more than ${MOST_OUTPUT} characters, so that figures may be missing`);
    }
    const { ended, ...figures } = read({ ...end, asked, interrupted });
    if (interrupted || isWarmUp(load)) return figures;
    const { requests, durationMs } = asked;
    if (requests !== undefined && ended !== undefined && ended !== requests) {
      throw new ProgramError(
        `${name} was asked for ${countOf(requests, "request")} and says that ${ended} came to an end`,
      );
    }
    if (requests === undefined && figures.elapsedMs < durationMs - TOLERANCE_MS) {
      throw new ProgramError(
        `${name} was asked to send for ${durationMs} ms and says it did for ${figures.elapsedMs} ms`,
      );
    }
    return figures;
  } catch (error) {
    // Of a run that was ended early there may be nothing to tell.
    signal.throwIfAborted();
    if (!(isWarmUp(load) && interrupted && error instanceof ProgramError)) throw error;
    return { elapsedMs: 0, requests: { sent: 0, ok: 0, non2xx: 0 }, statusCodes: {}, errorCodes: {}, bytes: {} };
  }
}

const LAST_LINES = 5;

function describeEnd(name: string, { code, signal, stdout, stderr }: ProgramEnd): string {
  const printed = [...stdout.split("\n"), ...stderr.map(({ line }) => line)].filter((line) => line.trim() !== "");
  return `${name} gave up with ${describeExit({ code, signal, output: printed.slice(-LAST_LINES) })}`;
}

const KEPT_LINES = 1000;
const KEPT_LINE_LENGTH = 1000;

/**
 * What a program printed, to be kept with its measurement: standard output, then standard error, equal lines of which are
 * counted. Of each the first and the last 1,000 lines, each cut at 1,000 characters.
 */
export function keptOutput({ stdout, stderr }: Pick<ProgramEnd, "stdout" | "stderr">): string {
  const complaints = stderr.map(({ line, count }) => (count === 1 ? line : `${line} [${count} times]`));
  const shorten = (lines: readonly string[]): readonly string[] => {
    const leftOut = lines.length - 2 * KEPT_LINES;
    const kept = leftOut <= 0 ? lines : lines.toSpliced(KEPT_LINES, leftOut, `[${countOf(leftOut, "line")} left out]`);
    return kept.map((line) => (line.length > KEPT_LINE_LENGTH ? `${line.slice(0, KEPT_LINE_LENGTH)} [cut]` : line));
  };
  return [...shorten(stdout.replace(/\n+$/, "").split("\n")), ...shorten(complaints)].join("\n");
}
