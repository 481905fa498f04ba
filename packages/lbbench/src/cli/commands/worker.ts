import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ConfigError } from "../../config/config-error.js";
import { DEFAULTS, TOKEN_VARIABLE } from "../../config/defaults.js";
import type { parseAddress } from "../../config/parsers.js";
import { formatAddress } from "../../stats/url-address.js";
import { ExitCode, type Command } from "../io.js";
import { toPrintable } from "../terminal.js";

interface OwnFlags {
  readonly master: ReturnType<typeof parseAddress>;
  readonly tokenStdin?: boolean;
}

/** `lbbench worker`. */
export const workerCommand: Command = {
  name: "worker",
  summary: "generate load for an lbbench on another machine",
  about:
    "Generates load for an lbbench on another machine, which has been started with --workers: connects to its master and does what that asks.\n" +
    "It ends with the master, when that is silent for 10 s, and when no master answers for 5 minutes.\n" +
    `Both have to know the same secret: the environment variable ${TOKEN_VARIABLE}, as the lbbench prints it that waits for workers.`,
  settings: [
    {
      flags: "--master <address>",
      kind: "address",
      isRequired: true,
      about: "where the master listens: HOST, or HOST:PORT",
      default: `port ${DEFAULTS.workers.port}`,
      example: `10.0.0.1:${DEFAULTS.workers.port}`,
    },
    {
      flags: "--token-stdin",
      about: `read the token from standard input in place of ${TOKEN_VARIABLE}, and end with that`,
    },
  ],
  examples: [`worker --master 10.0.0.1:${DEFAULTS.workers.port}`],
  execute: async ({ read, stderr, env, openStdin, catchInterrupt }) => {
    const { own } = await read<OwnFlags>();
    const { host, port = DEFAULTS.workers.port } = own.master;
    const { runWorker } = await import("../../workers/worker.js");
    const { signal: interrupted } = catchInterrupt();
    const closed = new AbortController();
    const token =
      own.tokenStdin === true ? await readToken(openStdin(), () => closed.abort(), interrupted) : env[TOKEN_VARIABLE];
    if (interrupted.aborted) {
      stderr.write("Interrupted.\n");
      return ExitCode.interrupted;
    }
    if (!token) {
      const place = own.tokenStdin === true ? "on standard input" : `in the environment variable ${TOKEN_VARIABLE}`;
      throw new ConfigError(
        `expected the token of the run ${place}, got none. The lbbench that waits for workers prints it: ${TOKEN_VARIABLE}=... lbbench worker --master ...`,
      );
    }
    const onReady = (id: string): void =>
      void stderr.write(toPrintable(`Ready: worker ${id} of the master at ${formatAddress({ host, port })}\n`));
    const signal = AbortSignal.any([interrupted, closed.signal]);
    const { isFine, reason } = await runWorker({ host, port }, { token, signal, onReady });
    stderr.write(`${toPrintable(reason)}\n`);
    if (interrupted.aborted) return ExitCode.interrupted;
    return isFine ? ExitCode.pass : ExitCode.unreachable;
  },
};

/** Reads the first line, and tells when there will be no more; nothing where it is interrupted before. */
async function readToken(input: Readable, onEnd: () => void, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input, signal });
  lines.once("close", onEnd);
  const [line = ""] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
  return line.trim();
}
