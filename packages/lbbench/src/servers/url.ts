import { once } from "node:events";
import net from "node:net";
import { z } from "zod";
import type { Server } from "../plugin.js";
import { StartError } from "./start-error.js";

const options = z.strictObject({ url: z.url({ protocol: /^https?$/ }) });

const CONNECT_LIMIT_MS = 5000;

/** A server that is running already; starting it is seeing whether it accepts a connection. Option: `url`. */
export const urlServer: Server<z.infer<typeof options>> = {
  name: "url",
  options,
  start: async ({ url }, { signal }) => {
    await connectOnce(new URL(url), signal);
    return { url, processes: [], died: new Promise(() => {}), stop: async () => {} };
  },
};

async function connectOnce(url: URL, signal: AbortSignal): Promise<void> {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = net.connect({ host, port });
  const limit = AbortSignal.timeout(CONNECT_LIMIT_MS);
  try {
    await once(socket, "connect", { signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const why = limit.aborted ? `no connection within ${CONNECT_LIMIT_MS / 1000} s` : describe(error);
    throw new StartError(
      `Expected a server that answers at ${url.origin}, but got: ${why}. Is it running, and is the port right?`,
      {
        cause: error,
      },
    );
  } finally {
    socket.destroy();
  }
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describe).join(", ");
  return error instanceof Error ? error.message : String(error);
}
