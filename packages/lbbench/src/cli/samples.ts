import { once } from "node:events";
import { startSample, type SampleChoice } from "@lbbench/backends";
import { listWords } from "../config/config-error.js";
import { flagOf, type Setting } from "../config/settings.js";
import { ConfigError, DEFAULTS } from "../index.js";
import { countOf } from "../stats/count-of.js";
import { givenValue, readFlags, readWord } from "./flags.js";
import { ExitCode, type Flags, type Invocation } from "./io.js";

/** A flag of `lbbench serve`, and the kinds of servers that it is for. */
export interface SampleSetting extends Setting {
  readonly kinds: readonly string[];
}

/** Runs a sample server until it is interrupted; resolves with the exit code. */
export async function serveSample(
  kinds: readonly string[],
  settings: readonly SampleSetting[],
  { words: [word], flags, ...io }: Invocation,
): Promise<number> {
  const kind = readWord(String(word), kinds, "kind");
  const choice = await readSample(kind, flags, settings, io.cwd);
  const backend = await startSample(choice);
  // Before anything is said: who reads it may interrupt at once. Listeners do not keep Node alive, but a server does.
  const interrupted = once(io.catchInterrupt().signal, "abort");
  const { handler = DEFAULTS.handler, upstream } = flags;
  const what = upstream === undefined ? `"${String(handler)}"` : `the calls of ${String(upstream)}`;
  const { url, pids, adminUrl } = backend;
  const processes = pids.length === 1 ? `process ${pids[0]}` : `${countOf(pids.length, "worker")} (${pids.join(", ")})`;
  io.stderr.write(`Serving ${what} at ${url} with ${processes}\n`);
  if (adminUrl !== undefined) io.stderr.write(`Counts at ${adminUrl}/stats\n`);
  backend.onDied(({ pid, code, signal }) => {
    io.stderr.write(`Worker ${pid} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}\n`);
  });
  await interrupted;
  await backend.stop();
  return ExitCode.pass;
}

/** What is not as the server itself has it, by the option. */
const OWN_DEFAULTS: Readonly<Record<string, unknown>> = {
  port: DEFAULTS.servePort,
  host: DEFAULTS.host,
  handler: DEFAULTS.handler,
  workers: DEFAULTS.clusterWorkers,
};

/** Reads what is to be served; rejects with a `ConfigError` that names the flag. The rest is for the server to check. */
export async function readSample(
  kind: string,
  flags: Flags,
  settings: readonly SampleSetting[],
  cwd: string,
): Promise<SampleChoice> {
  const own = settings.filter(({ kinds }) => kinds.includes(kind));
  for (const setting of settings) {
    const value = givenValue(setting, flags);
    if (value === undefined || own.includes(setting)) continue;
    const { kinds } = setting;
    const flag = flagOf(setting);
    const words = `${flag}${typeof value === "string" ? ` ${value}` : ""}`;
    throw new ConfigError(`${flag} is for ${listWords(kinds)}, not for ${kind}: lbbench serve ${kinds[0]} ${words}`);
  }
  if (kind === "grpc-gateway" && flags["upstream"] === undefined) {
    throw new ConfigError("--upstream: expected the gRPC service to call, such as grpc://127.0.0.1:50051, got nothing");
  }
  const { input } = await readFlags(flags, own, { cwd });
  const ours = own.flatMap(({ path = "" }) => (path in OWN_DEFAULTS ? [[path, OWN_DEFAULTS[path]]] : []));
  // Every flag was read as the row of its option says.
  return { kind, options: { ...Object.fromEntries(ours), ...input } } as SampleChoice;
}
