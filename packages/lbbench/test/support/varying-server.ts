import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Server } from "../../src/plugin.js";

const options = z.strictObject({ delaysMs: z.array(z.number()).min(1) });

/**
 * Makes a server plugin, `varying`, that answers after another delay each time it is started: the first of `delaysMs` when a sweep
 * tries whether it starts, and in the first step as well, then the others, as trials of a machine that is not quiet differ.
 */
export function createVaryingServer(): Server {
  const starts = new Map<string, number>();
  return {
    name: "varying",
    options,
    start: async (chosen) => {
      const { delaysMs } = options.parse(chosen);
      const key = delaysMs.join();
      const earlier = starts.get(key) ?? 0;
      starts.set(key, earlier + 1);
      const delayMs = delaysMs[Math.max(0, earlier - 1) % delaysMs.length] ?? 0;
      const server = createServer((_, response) => void setTimeout(() => response.end("hello"), delayMs));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}`,
        processes: [],
        died: new Promise(() => {}),
        stop: async () => {
          server.closeAllConnections();
          if (server.listening) await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
}
