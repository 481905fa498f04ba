/**
 * Engines that drive a program. What is particular to one stands in its table, a {@link Program}; here a load is refused that it cannot do
 * exactly, put to it, run under a supervisor and made a measurement of.
 */
import { availableParallelism } from "node:os";
import type { ZodType } from "zod";
import { describeExit } from "../../system/fork.js";
import { locateProgram, readProgramVersion, type Installation, type VersionQuestion } from "../../system/program.js";
import { runProgram, type ProgramCommand, type ProgramEnd, type ProgramRun } from "../../system/supervise.js";
import type { RequestSpec } from "../../model/scenario.js";
import type { AskedLoad, Engine, EngineContext, EngineRun, EngineSupport, Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { basicCredentials } from "../requests.js";
import { ProgramError, type ProgramFigures } from "./printed.js";

/** What every engine that drives a program can be told. */
export interface ProgramOptions {
  /** Name or path of the program. */
  readonly program: string;
}

/** A load in the terms of programs. */
export interface AskedRun {
  /** Without the credentials, which programs understand differently: they are a header of the request. */
  readonly url: string;
  readonly request: RequestSpec;
  readonly body: Uint8Array | null;
  readonly connections: number;
  /** A number of requests, or a time: `durationMs`, which is 0 then, and whole seconds that are at least as long. */
  readonly requests?: number;
  readonly durationMs: number;
  readonly seconds: number;
  readonly timeoutMs: number;
  readonly timeoutSeconds: number;
  readonly keepAlive: boolean;
}

/** How a load is put to a program. */
export interface ProgramCall extends Omit<ProgramCommand, "argv"> {
  readonly args: readonly string[];
}

/** What came of a program that has ended. */
export interface FinishedProgram extends Pick<ProgramEnd, "stdout" | "stderr" | "files"> {
  readonly asked: AskedRun;
  /** Whether it was interrupted, and tells what it had until then. */
  readonly interrupted: boolean;
}

/** What it tells of the run. */
export interface ToldRun extends ProgramFigures {
  /** Requests that came to an end; absent where it cannot be asked for a number of them. */
  readonly ended?: number;
}

/** Something that a program cannot do exactly: whether that is asked for, and the message. */
export type Refusal = readonly [isAsked: boolean, message: string];

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
  readonly refuses: (asked: Pick<AskedLoad, "request">) => readonly Refusal[];
  readonly refusesLevel: (
    level: { readonly connections: number; readonly requests?: number | undefined },
    options: Options,
  ) => readonly Refusal[];
  /** Cores that it can keep busy, if there are so many. */
  readonly cores: (options: Options) => number;
  readonly call: (asked: AskedRun, options: Options) => ProgramCall;
  /** Reads what it printed and wrote; throws a {@link ProgramError} when that cannot be understood. */
  readonly read: (finished: FinishedProgram) => ToldRun;
}

/** Makes an engine that drives a program. It is used when it is asked for by name alone, because it may not be installed. */
export function createProgramEngine<Options extends ProgramOptions>(program: Program<Options>): Engine {
  const { name, amounts, installation, version: question } = program;
  const versionOf = (options: Options, folder: string): Promise<string> =>
    readProgramVersion({ program: locateProgram(options.program, folder), installation, ...question });
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
    check: async (asked, { folder }) => {
      const options = program.options.parse(asked.options);
      const refusal = refusalOf(program, asked, options);
      if (refusal !== undefined) throw new Error(refusal);
      await versionOf(options, folder);
    },
    run: async (load, context) => {
      const options = program.options.parse(load.options);
      const refusal = isWarmUp(load) ? undefined : refusalOf(program, { ...load, levels: [load.level] }, options);
      if (refusal !== undefined) throw new ProgramError(refusal);
      const version = await versionOf(options, context.folder);
      return drive(program, { load, options, version }, context);
    },
  };
}

/** What is to drain is not measured, and the program interrupted when its time is over. */
function isWarmUp({ atEnd }: Load): boolean {
  return atEnd === "drain";
}

const SECOND_MS = 1000;

/** Says why a program cannot do exactly what is asked, and what it can; `undefined` when it can. */
export function refusalOf<Options extends ProgramOptions>(
  { name, durations, refuses, refusesLevel }: Program<Options>,
  asked: AskedLoad,
  options: Options,
): string | undefined {
  const refusals = [
    ...refuses(asked),
    refuseFractions(name, "the timeout", "--timeout", asked.timeoutMs),
    ...asked.levels.flatMap((level) => [
      ...refusesLevel({ connections: closedConnections(level), requests: level.requests }, options),
      ...(durations === "any" || level.durationMs === undefined
        ? []
        : [refuseFractions(name, "a duration", "-d", level.durationMs)]),
    ]),
  ];
  return refusals.find(([isAsked]) => isAsked)?.[1];
}

function refuseFractions(program: string, what: string, flag: string, ms: number): Refusal {
  const down = Math.floor(ms / SECOND_MS);
  const near = down > 0 ? `${down}s or ${down + 1}s` : `${down + 1}s`;
  const isWhole = ms > 0 && ms % SECOND_MS === 0;
  return [!isWhole, `${program} knows ${what} in whole seconds only: expected ${flag} ${near}, got ${ms} ms`];
}

/** Puts a load in the terms of programs. */
export function askedRun({ url: address, level, request, timeoutMs, keepAlive }: Load): AskedRun {
  const url = new URL(address);
  const credentials = basicCredentials(url);
  const isGiven = request.headers.some(([name]) => name.toLowerCase() === "authorization");
  [url.username, url.password, url.hash] = ["", "", ""];
  const authorization = credentials === undefined || isGiven ? [] : [["Authorization", credentials] as const];
  const { requests, durationMs = 0 } = level;
  const secondsAtLeast = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND_MS));
  return {
    url: url.href,
    request: { ...request, headers: [...authorization, ...request.headers] },
    body: request.body === null ? null : Buffer.from(request.body, request.bodyEncoding),
    connections: closedConnections(level),
    ...(requests === undefined ? {} : { requests }),
    durationMs,
    seconds: secondsAtLeast(durationMs),
    timeoutMs,
    timeoutSeconds: secondsAtLeast(timeoutMs),
    keepAlive,
  };
}

interface Driven<Options> {
  readonly load: Load;
  readonly options: Options;
  readonly version: string;
}

async function drive<Options extends ProgramOptions>(
  program: Program<Options>,
  { load, options, version }: Driven<Options>,
  context: EngineContext,
): Promise<EngineRun> {
  const { name } = program;
  const asked = askedRun(load);
  const { args, ...files } = program.call(asked, options);
  const argv = [locateProgram(options.program, context.folder), ...args] as const;
  const run = await runProgram(
    {
      name,
      command: { argv, ...files },
      cores: Math.min(program.cores(options), availableParallelism()),
      ...(isWarmUp(load) && asked.requests === undefined ? { stopAfterMs: asked.durationMs } : {}),
    },
    context,
  );
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
}

/** What a program tells of a run that has ended. Throws a {@link ProgramError} when that is not to be understood, or not what was asked for. */
export function figuresOf(
  program: Pick<Program, "name" | "read">,
  load: Load,
  { end, interrupted }: Pick<ProgramRun, "end" | "interrupted">,
  signal: AbortSignal,
): ProgramFigures {
  const { name } = program;
  const asked = askedRun(load);
  try {
    // A program that is interrupted may tell what it has and call it a failure.
    if (!interrupted && (end.code !== 0 || end.signal !== null)) throw new ProgramError(describeEnd(name, end));
    if (end.isCut) throw new ProgramError(`${name} printed more than can be read, which may leave out figures`);
    const { ended, ...figures } = program.read({ ...end, asked, interrupted });
    if (!interrupted && !isWarmUp(load)) checkAmount(name, asked, ended, figures.elapsedMs);
    return figures;
  } catch (error) {
    // Of a run that was ended early there may be nothing to tell.
    signal.throwIfAborted();
    if (isWarmUp(load) && interrupted && error instanceof ProgramError) return NOTHING_TOLD;
    throw error;
  }
}

/** A warm-up is not measured, and what a program says that was interrupted early in one need not make sense. */
const NOTHING_TOLD: ProgramFigures = {
  elapsedMs: 0,
  requests: { sent: 0, ok: 0, non2xx: 0 },
  statusCodes: {},
  errorCodes: {},
  bytes: {},
};

/** What the clock of a program may be behind ours. */
const TOLERANCE_MS = 10;

function checkAmount(
  name: string,
  { requests, durationMs }: AskedRun,
  ended: number | undefined,
  elapsedMs: number,
): void {
  if (requests !== undefined && ended !== undefined && ended !== requests) {
    throw new ProgramError(`${name} was asked for ${requests} requests and says that ${ended} came to an end`);
  }
  if (requests === undefined && elapsedMs < durationMs - TOLERANCE_MS) {
    throw new ProgramError(`${name} was asked to send for ${durationMs} ms and says it did for ${elapsedMs} ms`);
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
  return [...shorten(stdout.replace(/\n+$/, "").split("\n")), ...shorten(complaints)].join("\n");
}

function shorten(lines: readonly string[]): readonly string[] {
  const cut = lines.map((line) => (line.length > KEPT_LINE_LENGTH ? `${line.slice(0, KEPT_LINE_LENGTH)} [cut]` : line));
  const leftOut = cut.length - 2 * KEPT_LINES;
  return leftOut <= 0 ? cut : [...cut.slice(0, KEPT_LINES), `[${leftOut} lines left out]`, ...cut.slice(-KEPT_LINES)];
}
