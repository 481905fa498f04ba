import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { startLoad } from "../test-support/load.js";
import { speaking } from "../test-support/tls-client.js";
import { startBackendProcess, startBalancerProcess } from "./test-support/processes.js";

/** Clients when memory is looked at. */
const CLIENTS = [1000, 5500, 10_000] as const;
/** At a time. */
const CONNECTING = 50;

/** Opens connections, each of which has had one answer, until there are so many. */
async function openUntil(clients: Socket[], count: number, open: () => Socket): Promise<void> {
  while (clients.length < count) {
    const opened = Array.from({ length: Math.min(CONNECTING, count - clients.length) }, open);
    for (const client of opened) client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await Promise.all(opened.map((client) => once(client, "data")));
    clients.push(...opened);
  }
}

it.each([
  // 5.9 KB as measured.
  ["HTTP/1.1", undefined, 8],
  // 29.5 KB as measured, of which a server of node:tls that does nothing takes 27. nginx 1.22 takes 15 KB with the same OpenSSL.
  ["TLS 1.3", "TLSv1.3", 32],
] as const)(
  "10 000 idle clients of %s take memory in proportion, at most a few KB each",
  async (_, version, mostKb) => {
    const backend = await startBackendProcess("one");
    const certificates =
      version === undefined ? {} : { tls: { cert: String(LOCALHOST.cert), key: String(LOCALHOST.key) } };
    // However long it takes to open all of them.
    const timeouts = { keepAliveMs: 3_600_000 };
    const balancer = await startBalancerProcess({ backends: [{ url: backend.url }], timeouts, ...certificates });
    const { port } = balancer;
    const clients: Socket[] = [];
    onTestFinished(() => clients.forEach((client) => client.destroy()));
    const open = (): Socket =>
      version === undefined
        ? connectTcp({ port, host: "127.0.0.1" })
        : connectTls({ port, host: "127.0.0.1", ca: LOCALHOST.cert, servername: "localhost", ...speaking(version) });
    // What a balancer at work has anyway.
    const load = startLoad(balancer.url, () => "GET", 20);
    await load.more(20_000);
    await load.stop();

    const kilobytes: number[] = [];
    for (const count of CLIENTS) {
      await openUntil(clients, count, open);
      kilobytes.push((await balancer.ownBytes()) / 1024);
      expect((await balancer.snapshot()).connections).toBe(count);
    }
    const [first = 0, second = 0, third = 0] = kilobytes;
    expect((third - first) / (CLIENTS[2] - CLIENTS[0])).toBeLessThan(mostKb);
    // The heap grows in steps, which is why it may be less.
    expect(third - second).toBeLessThan((second - first) * 1.25);
  },
);
