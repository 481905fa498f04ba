import { once } from "node:events";
import { ExitCode, type Command } from "../io.js";
import { SAMPLE_KINDS, SAMPLE_SETTINGS } from "../server-settings.js";

/** `lbbench serve`. */
export const serveCommand: Command = {
  name: "serve",
  summary: "run a sample backend alone",
  about:
    "Runs a sample backend alone, until it is interrupted: one process, a cluster of workers on one port, a pool of threads " +
    "with a queue, a gRPC service, or an HTTP server that calls one.",
  arguments: [
    { name: "[kind]", about: "single, cluster, pool, grpc or grpc-gateway", default: "single", words: SAMPLE_KINDS },
  ],
  settings: SAMPLE_SETTINGS,
  examples: ["serve --handler cpu:2ms", "serve cluster --workers 4 --port 8081", "serve pool --pool 8 --queue 20"],
  run: async ([kind], flags, io) => {
    const { describeServer, readSampleFlags, startServer } = await import("../samples.js");
    const choice = await readSampleFlags(String(kind), flags);
    const backend = await startServer(choice);
    // Before anything is said: who reads it may interrupt at once. Listeners do not keep Node alive, but a server does.
    const interrupted = once(io.catchInterrupt().signal, "abort");
    io.stderr.write(`Serving ${describeServer(choice, backend)}\n`);
    if (backend.adminUrl !== undefined) io.stderr.write(`Counts at ${backend.adminUrl}/stats\n`);
    backend.onDied(({ pid, code, signal }) => {
      io.stderr.write(`Worker ${pid} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}\n`);
    });
    await interrupted;
    await backend.stop();
    return ExitCode.pass;
  },
};
