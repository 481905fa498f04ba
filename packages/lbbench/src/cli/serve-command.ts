import { BackendStartError, HandlerSpecError, startCluster, startSingle, type RunningBackend } from "@lbbench/backends";
import { listWords, suggest } from "../config/suggest.js";
import { ConfigError, DEFAULTS, StartError } from "../index.js";
import { ExitCode } from "./exit-code.js";
import { parsePort } from "./parse-port.js";
import { untilInterrupted } from "./until-interrupted.js";

const KINDS = ["single", "cluster"];

/** The flags of `lbbench serve`. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  readonly workers?: string;
  readonly handler?: string;
}

/** Runs `lbbench serve` until it is interrupted; resolves with its exit code. */
export async function runServeCommand(kind: string, flags: ServeFlags): Promise<number> {
  const backend = await start(kind, flags);
  process.stderr.write(`Serving "${flags.handler ?? DEFAULTS.handler}" at ${backend.url} with ${describe(backend)}\n`);
  backend.onDied(({ pid, code, signal }) => {
    process.stderr.write(`Worker ${pid} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}\n`);
  });
  await untilInterrupted();
  await backend.stop();
  return ExitCode.pass;
}

function describe({ pids }: RunningBackend): string {
  return pids.length === 1 ? `process ${pids[0]}` : `${pids.length} workers (${pids.join(", ")})`;
}

async function start(kind: string, flags: ServeFlags): Promise<RunningBackend> {
  const options = {
    handler: flags.handler ?? DEFAULTS.handler,
    port: parsePort(flags.port, DEFAULTS.servePort),
    host: flags.host ?? DEFAULTS.host,
  };
  try {
    if (kind === "cluster") return await startCluster({ ...options, workers: parseWorkers(flags.workers) });
    if (kind !== "single") {
      throw new ConfigError(`Expected ${listWords(KINDS)} to be served, got "${kind}".${suggest(kind, KINDS)}`);
    }
    if (flags.workers !== undefined) {
      throw new ConfigError(`--workers is for a cluster: lbbench serve cluster --workers ${flags.workers}`);
    }
    return await startSingle(options);
  } catch (error) {
    if (error instanceof HandlerSpecError) throw new ConfigError(error.message, { cause: error });
    if (error instanceof BackendStartError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

function parseWorkers(text: string | undefined): number {
  if (text === undefined) return DEFAULTS.clusterWorkers;
  const workers = Number(text);
  if (!/^\d+$/.test(text) || workers < 1) {
    throw new ConfigError(`--workers: expected a whole number of at least 1, got "${text}"`);
  }
  return workers;
}
