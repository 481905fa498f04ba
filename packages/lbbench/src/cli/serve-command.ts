import {
  BackendStartError,
  formatHandler,
  HandlerSpecError,
  startSample,
  type RunningBackend,
  type SampleChoice,
} from "@lbbench/backends";
import { ConfigError, StartError } from "../index.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo } from "./io.js";
import { readServeFlags, type ServeFlags } from "./serve-flags.js";
import { untilInterrupted } from "./until-interrupted.js";

/** Runs `lbbench serve` until it is interrupted; resolves with its exit code. */
export async function runServeCommand(kind: string, flags: ServeFlags, io: CommandIo): Promise<number> {
  const choice = readServeFlags(kind, flags);
  const backend = await start(choice);
  // Before anything is said: who reads it may interrupt at once.
  const interrupted = untilInterrupted(io);
  io.stderr.write(`Serving ${describeChoice(choice)} at ${backend.url} with ${describeProcesses(backend)}\n`);
  if (backend.adminUrl !== undefined) io.stderr.write(`Counts at ${backend.adminUrl}/stats\n`);
  backend.onDied(({ pid, code, signal }) => {
    io.stderr.write(`Worker ${pid} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}\n`);
  });
  await interrupted;
  await backend.stop();
  return ExitCode.pass;
}

function describeChoice({ kind, options }: SampleChoice): string {
  if (kind === "grpc-gateway") return `the calls of ${options.upstream}`;
  const { handler } = options;
  return `"${typeof handler === "string" ? handler : formatHandler(handler)}"`;
}

function describeProcesses({ pids }: RunningBackend): string {
  return pids.length === 1 ? `process ${pids[0]}` : `${pids.length} workers (${pids.join(", ")})`;
}

async function start(choice: SampleChoice): ReturnType<typeof startSample> {
  try {
    return await startSample(choice);
  } catch (error) {
    if (error instanceof HandlerSpecError) throw new ConfigError(error.message, { cause: error });
    if (error instanceof BackendStartError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}
