import { DEFAULTS } from "../../config/defaults.js";
import { ConfigError } from "../../config/config-error.js";
import { parseAddress } from "../../config/parsers.js";
import { formatAddress } from "../../stats/url-address.js";
import { ExitCode, type Command } from "../io.js";

/** `lbbench worker`. */
export const workerCommand: Command = {
  name: "worker",
  summary: "generate load for an lbbench on another machine",
  about:
    "Generates load for an lbbench on another machine, which has been started with --workers: connects to its master and does what that asks.\n" +
    "It ends with the master, when that is silent for 10 s, and when no master answers for 5 minutes.",
  settings: [
    {
      flags: "--master <address>",
      isRequired: true,
      about: "where the master listens: HOST, or HOST:PORT",
      default: `port ${DEFAULTS.workers.port}`,
      example: `10.0.0.1:${DEFAULTS.workers.port}`,
    },
  ],
  examples: [`worker --master 10.0.0.1:${DEFAULTS.workers.port}`],
  execute: async ({ flags, stderr, catchInterrupt }) => {
    const { host, port = DEFAULTS.workers.port } = readAddress(String(flags["master"]));
    const { runWorker } = await import("../../workers/worker.js");
    const { signal } = catchInterrupt();
    const onReady = (id: string): void => void stderr.write(`Ready: worker ${id} of the master at ${formatAddress({ host, port })}\n`);
    const { isFine, reason } = await runWorker({ host, port }, { signal, onReady });
    stderr.write(`${reason}\n`);
    if (signal.aborted) return ExitCode.interrupted;
    return isFine ? ExitCode.pass : ExitCode.unreachable;
  },
};

function readAddress(text: string) {
  try {
    return parseAddress(text);
  } catch (cause) {
    throw new ConfigError(`--master: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
