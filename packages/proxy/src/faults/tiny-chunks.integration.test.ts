import { expect, it } from "vitest";
import { endWithPeer, startRawBackend } from "../test-support/servers.js";
import { optionsFor, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { wireClient } from "../test-support/wire.js";
import { startBalancerProcess } from "./test-support/processes.js";

const CONNECTIONS = 40;
/** Few enough for the whole body to be kept, so that it could be sent again. */
const CHUNKS = 65_000;
const PUT = `PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\n~\r\n".repeat(CHUNKS)}`;

it.each(WAYS_OF_SOCKETS)("65,000 tiny chunks cost a balancer by %s 200 KB and 0.1 s at most", async (transport) => {
  let payloadBytes = 0;
  const backend = await startRawBackend((socket) => {
    endWithPeer(socket).on("data", (bytes: Buffer) => {
      for (const byte of bytes) if (byte === 0x7e) payloadBytes += 1;
    });
  });
  const balancer = await startBalancerProcess({ ...optionsFor(transport), backends: [{ url: backend.url }] });
  const putTimes = async (times: number): Promise<void> => {
    const before = payloadBytes;
    for (let count = 0; count < times; count++) wireClient(balancer.port, PUT);
    await expect.poll(() => payloadBytes).toBe(before + times * CHUNKS);
  };
  // What is loaded and compiled for the first requests does not count.
  await putTimes(4);
  const before = await balancer.usage();
  await putTimes(CONNECTIONS);
  const after = await balancer.usage();
  expect((after.bytes - before.bytes) / CONNECTIONS).toBeLessThan(200_000);
  expect((after.cpuMs - before.cpuMs) / CONNECTIONS).toBeLessThan(100);
});
