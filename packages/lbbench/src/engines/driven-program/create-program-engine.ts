import { availableParallelism } from "node:os";
import type { ZodType } from "zod";
import { type Installation, locateProgram, readProgramVersion, type VersionQuestion } from "../../system/program.js";
import { describeExit } from "../../system/fork.js";
import type { Measurement } from "../../model/measurement.js";
import type { AskedLoad, Engine, EngineContext, EngineRun, EngineSupport, Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { keptOutput } from "./kept-output.js";
import { ProgramError } from "./program-error.js";
import type { ProgramFigures } from "./program-figures.js";
import { type ProgramCommand, type ProgramEnd, type ProgramRun, runProgram } from "../../system/supervise.js";

/** What every engine that drives a program can be told. */
export interface ProgramOptions {
  /** Name or path of the program. */
  readonly program: string;
}

/** How a load is put to a program. */
export interface ProgramOrder extends Omit<ProgramCommand, "argv"> {
  readonly args: readonly string[];
}

/** What came of a program that has ended as it should. */
export interface FinishedProgram extends Pick<ProgramEnd, "stdout" | "stderr" | "files"> {
  readonly load: Load;
  /** Whether it was interrupted, and tells what it had until then. */
  readonly interrupted: boolean;
}

/** How a program is driven; all functions are pure. */
export interface ProgramAdapter<Options extends ProgramOptions> {
  readonly name: string;
  readonly installation: Installation;
  readonly version: Pick<VersionQuestion, "args" | "find">;
  readonly supports: Omit<EngineSupport, "protocols" | "automatic" | "expectations" | "generators" | "tlsVerification">;
  readonly options: ZodType<Options>;
  /** Says why the program cannot do exactly what is asked, and what it can; `undefined` when it can. */
  readonly refuse: (asked: AskedLoad, options: Options) => string | undefined;
  /** Cores that it can keep busy, of those that there are. */
  readonly cores: (options: Options, available: number) => number;
  /** How the load is put to it; a load that is to drain is not measured, and interrupted when its time is over. */
  readonly order: (load: Load, options: Options) => ProgramOrder;
  /** What it tells; throws a {@link ProgramError} when it cannot be understood. */
  readonly figures: (finished: FinishedProgram, options: Options) => ProgramFigures;
}

/** Makes an engine that drives a program. It is used when it is asked for by name alone, because it may not be installed. */
export function createProgramEngine<Options extends ProgramOptions>(adapter: ProgramAdapter<Options>): Engine {
  const parse = (options: Load["options"]): Options => adapter.options.parse(options);
  const versionOf = ({ program }: Options, folder: string): Promise<string> => {
    const { version, installation } = adapter;
    return readProgramVersion({ program: locateProgram(program, folder), ...version, installation });
  };
  return {
    name: adapter.name,
    supports: {
      protocols: ["http"],
      ...adapter.supports,
      automatic: false,
      expectations: false,
      generators: false,
      tlsVerification: false,
    },
    options: adapter.options as unknown as ZodType<Readonly<Record<string, unknown>>>,
    check: async (asked, { folder }) => {
      const options = parse(asked.options);
      const refusal = adapter.refuse(asked, options);
      if (refusal !== undefined) throw new Error(refusal);
      await versionOf(options, folder);
    },
    run: async (load, context) => {
      const options = parse(load.options);
      const isMeasured = load.atEnd === "cut";
      const refusal = isMeasured ? adapter.refuse({ ...load, levels: [load.level] }, options) : undefined;
      if (refusal !== undefined) throw new ProgramError(refusal);
      const version = await versionOf(options, context.folder);
      return drive(adapter, { load, options, version }, context);
    },
  };
}

interface Driven<Options> {
  readonly load: Load;
  readonly options: Options;
  readonly version: string;
}

async function drive<Options extends ProgramOptions>(
  adapter: ProgramAdapter<Options>,
  { load, options, version }: Driven<Options>,
  context: EngineContext,
): Promise<EngineRun> {
  const { name } = adapter;
  const { args, ...rest } = adapter.order(load, options);
  const argv = [locateProgram(options.program, context.folder), ...args] as const;
  const { durationMs } = load.level;
  const run = await runProgram(
    {
      name,
      command: { argv, ...rest },
      cores: adapter.cores(options, availableParallelism()),
      ...(load.atEnd === "drain" && durationMs !== undefined ? { stopAfterMs: durationMs } : {}),
    },
    context,
  );
  const figures = figuresOf(adapter, { load, options, version }, run, context);
  return {
    measurement: toMeasurement(load, run, figures, { name, version, command: argv, output: keptOutput(run.end) }),
    generators: run.generators,
    targetGone: false,
  };
}

function figuresOf<Options extends ProgramOptions>(
  { name, figures }: ProgramAdapter<Options>,
  { load, options }: Driven<Options>,
  { end, interrupted }: ProgramRun,
  { signal }: EngineContext,
): ProgramFigures {
  try {
    // A program that is interrupted may tell what it has and call it a failure.
    if (!interrupted && (end.code !== 0 || end.signal !== null)) throw new ProgramError(describeEnd(name, end));
    if (end.isCut) throw new ProgramError(`${name} printed more than can be read, which may leave out figures`);
    return figures({ ...end, load, interrupted }, options);
  } catch (error) {
    // Of a run that was ended early there may be nothing to tell.
    signal.throwIfAborted();
    if (load.atEnd === "drain" && interrupted && error instanceof ProgramError) return NOTHING_TOLD;
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

const LAST_LINES = 5;

function describeEnd(name: string, { code, signal, stdout, stderr }: ProgramEnd): string {
  const printed = [...stdout.split("\n"), ...stderr.map(({ line }) => line)].filter((line) => line.trim() !== "");
  return `${name} gave up with ${describeExit({ code, signal, output: printed.slice(-LAST_LINES) })}`;
}

function toMeasurement(
  { level }: Load,
  { startedAt }: ProgramRun,
  figures: ProgramFigures,
  program: NonNullable<Measurement["program"]>,
): Measurement {
  const { elapsedMs, requests } = figures;
  return {
    startedAt,
    connections: { asked: closedConnections(level) },
    throughput: elapsedMs > 0 ? (requests.ok / elapsedMs) * 1000 : 0,
    timeline: [],
    ...figures,
    program,
  };
}
