import { resolveAddress, urlOf } from "./address.js";
import { cannotListen } from "./backend-start-error.js";
import { createHandler } from "./create-handler.js";
import { serveHandler } from "./handler-server.js";
import { resolveHandler } from "./resolve-handler.js";
import type { BackendOptions, RunningBackend } from "./running-backend.js";
import { runningHere } from "./running-here.js";
import { stopServer } from "./stop-server.js";

/**
 * Starts a sample server in this process; resolves when it listens. Throws a `HandlerSpecError` or a
 * `BackendStartError`.
 */
export async function startSingle(options: BackendOptions): Promise<RunningBackend> {
  const handler = createHandler(resolveHandler(options.handler));
  const address = resolveAddress(options);
  const { server, port, requests } = await serveHandler(handler, address, options.identify ?? false).catch(
    (error: NodeJS.ErrnoException) => {
      throw cannotListen(address.host, address.port, error);
    },
  );
  return runningHere({
    url: urlOf({ host: address.host, port }),
    port,
    requests,
    stop: (graceMs) => stopServer(server, graceMs),
  });
}
