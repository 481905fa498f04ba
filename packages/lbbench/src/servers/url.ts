import * as z from "zod";
import type { Server, WatchedProcess } from "../plugin.js";
import { originOf } from "../stats/url-address.js";
import { connectOnce, findListeners } from "../system/listen.js";
import { StartError } from "../system/program.js";

const options = z.strictObject({ url: z.url({ protocol: /^(https?|grpcs?)$/ }) });

/**
 * A server that is running already; starting it is seeing whether it accepts a connection. Its processes are those that can be found
 * at a port of the loopback. Option: `url`.
 */
export const urlServer: Server<z.infer<typeof options>> = {
  name: "url",
  options,
  needsOptions: true,
  protocol: ({ url }) => (/^grpcs?:/i.test(url) ? "grpc" : "http"),
  start: async ({ url }, { signal, name }) => {
    await expectServer(new URL(url), signal);
    const listeners = await findListeners(url);
    const processes = listeners.map((one): WatchedProcess => ({
      ...one,
      name: name === undefined ? one.name : `${name} ${one.name}`,
      role: "backend",
      found: true,
    }));
    return { url, processes, died: new Promise(() => {}), stop: async () => {} };
  },
};

async function expectServer(url: URL, signal: AbortSignal): Promise<void> {
  try {
    await connectOnce(url, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new StartError(
      `Expected a server that answers at ${originOf(url)}, but got: ${describe(error)}. Is it running, and is the port right?`,
      { cause: error },
    );
  }
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describe).join(", ");
  return error instanceof Error ? error.message : String(error);
}
