import { DEFAULTS } from "../../config/defaults.js";
import type { parseAddress } from "../../config/parsers.js";
import { formatAddress } from "../../stats/url-address.js";
import { ExitCode, type Command } from "../io.js";
import { toPrintable } from "../terminal.js";

interface OwnFlags {
  readonly master: ReturnType<typeof parseAddress>;
}

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
      kind: "address",
      isRequired: true,
      about: "where the master listens: HOST, or HOST:PORT",
      default: `port ${DEFAULTS.workers.port}`,
      example: `10.0.0.1:${DEFAULTS.workers.port}`,
    },
  ],
  examples: [`worker --master 10.0.0.1:${DEFAULTS.workers.port}`],
  execute: async ({ read, stderr, catchInterrupt }) => {
    const { own } = await read<OwnFlags>();
    const { host, port = DEFAULTS.workers.port } = own.master;
    const { runWorker } = await import("../../workers/worker.js");
    const { signal } = catchInterrupt();
    const onReady = (id: string): void =>
      void stderr.write(toPrintable(`Ready: worker ${id} of the master at ${formatAddress({ host, port })}\n`));
    const { isFine, reason } = await runWorker({ host, port }, { signal, onReady });
    stderr.write(`${toPrintable(reason)}\n`);
    if (signal.aborted) return ExitCode.interrupted;
    return isFine ? ExitCode.pass : ExitCode.unreachable;
  },
};
