import {
  BackendStartError,
  formatHandler,
  HandlerSpecError,
  OVERLOAD_POLICIES,
  startSample,
  type RunningBackend,
  type SampleChoice,
} from "@lbbench/backends";
import { flagOf } from "../config/settings.js";
import { listWords, suggest } from "../config/config-error.js";
import { ConfigError, DEFAULTS, StartError } from "../index.js";
import { attributeOf, flagsToInput, readWord } from "./flags.js";
import type { Flags } from "./io.js";
import { SAMPLE_KINDS, SAMPLE_SETTINGS } from "./server-settings.js";

/** Reads what is to be served; rejects with a `ConfigError` that names the flag. Handlers are left for the server to check. */
export async function readSampleFlags(given: string, flags: Flags): Promise<SampleChoice> {
  if (!SAMPLE_KINDS.some((one) => one === given)) {
    throw new ConfigError(
      `Expected ${listWords(SAMPLE_KINDS)} to be served, got "${given}".${suggest(given, SAMPLE_KINDS)}`,
    );
  }
  for (const setting of SAMPLE_SETTINGS) {
    const value = flags[attributeOf(setting.flags ?? "")];
    if (value === undefined || setting.kinds.includes(given)) continue;
    const words = `${flagOf(setting)}${typeof value === "string" ? ` ${value}` : ""}`;
    throw new ConfigError(
      `${flagOf(setting)} is for ${listWords(setting.kinds)}, not for ${given}: lbbench serve ${setting.kinds[0]} ${words}`,
    );
  }
  checkPool(flags);
  const own = SAMPLE_SETTINGS.filter(({ kinds }) => kinds.includes(given));
  const read = await flagsToInput(flags, own, { folder: ".", cwd: "." });
  if (given === "grpc-gateway" && flags["upstream"] === undefined) {
    throw new ConfigError("--upstream: expected the gRPC service to call, such as grpc://127.0.0.1:50051, got nothing");
  }
  // Every flag was read as the row of its option says.
  const options: object = { ...defaultsOf(given), ...read };
  return { kind: given, options } as SampleChoice;
}

/** What is not as the server itself has it. */
function defaultsOf(kind: string): object {
  return {
    port: DEFAULTS.servePort,
    host: DEFAULTS.host,
    ...(kind === "grpc-gateway" ? {} : { handler: DEFAULTS.handler }),
    ...(kind === "cluster" ? { workers: DEFAULTS.clusterWorkers } : {}),
  };
}

function checkPool({ policy, ...flags }: Flags): void {
  if (policy === undefined || readWord(String(policy), OVERLOAD_POLICIES, "--policy") !== "simple") return;
  for (const [flag, only] of [
    ["pool", "1"],
    ["queue", "0"],
  ] as const) {
    if (flags[flag] === undefined || flags[flag] === only) continue;
    throw new ConfigError(
      `--${flag}: expected ${only} with --policy simple, which serves one request at a time, got "${String(flags[flag])}"`,
    );
  }
}

/** Starts a sample server. Rejects with a `ConfigError` for a handler that is wrong, a `StartError` where it cannot start. */
export async function startServer(choice: SampleChoice): ReturnType<typeof startSample> {
  try {
    return await startSample(choice);
  } catch (error) {
    if (error instanceof HandlerSpecError) throw new ConfigError(error.message, { cause: error });
    if (error instanceof BackendStartError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** What runs, and where: `"hello" at http://127.0.0.1:8080 with process 7`. */
export function describeServer({ kind, options }: SampleChoice, { url, pids }: RunningBackend): string {
  const { handler } = kind === "grpc-gateway" ? { handler: "" } : options;
  const what =
    kind === "grpc-gateway"
      ? `the calls of ${options.upstream}`
      : `"${typeof handler === "string" ? handler : formatHandler(handler)}"`;
  const processes = pids.length === 1 ? `process ${pids[0]}` : `${pids.length} workers (${pids.join(", ")})`;
  return `${what} at ${url} with ${processes}`;
}
