import { expect, it } from "vitest";
import { endWithPeer, startRawBackend } from "../test-support/servers.js";
import { optionsFor, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { wireClient } from "../test-support/wire.js";
import { startBalancerProcess } from "./test-support/processes.js";

const CONNECTIONS = 40;
/** Few enough for the whole body to be kept, so that it could be sent again. */
const CHUNKS = 65_000;
const HEAD = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

it.each(WAYS_OF_SOCKETS)(
  "a balancer by %s needs at most 200 KB and 0.1 s for a body of 65,000 chunks of one byte",
  async (transport) => {
    let payloadBytes = 0;
    const backend = await startRawBackend((socket) => {
      endWithPeer(socket).on("data", (bytes: Buffer) => {
        for (const byte of bytes) if (byte === 0x7e) payloadBytes += 1;
      });
    });
    const balancer = await startBalancerProcess({ ...optionsFor(transport), backends: [{ url: backend.url }] });
    // What is loaded and compiled for the first requests does not count.
    const warm = Array.from({ length: 4 }, () => wireClient(balancer.port, `${HEAD}${"1\r\n~\r\n".repeat(CHUNKS)}`));
    await expect.poll(() => payloadBytes).toBe(warm.length * CHUNKS);
    const before = await balancer.usage();
    for (let count = 0; count < CONNECTIONS; count++) {
      wireClient(balancer.port, `${HEAD}${"1\r\n~\r\n".repeat(CHUNKS)}`);
    }
    await expect.poll(() => payloadBytes).toBe((warm.length + CONNECTIONS) * CHUNKS);
    const after = await balancer.usage();
    expect((after.bytes - before.bytes) / CONNECTIONS).toBeLessThan(200_000);
    expect((after.cpuMs - before.cpuMs) / CONNECTIONS).toBeLessThan(100);
  },
);
