import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { startLoad } from "../test-support/load.js";
import { speaking } from "../test-support/tls-client.js";
import { startBackendProcess, startBalancerProcess, startBareTlsProcess } from "./test-support/processes.js";

/** Clients when memory is looked at. */
const CLIENTS = [1000, 5500, 10_000] as const;
/** At a time. */
const CONNECTING = 50;
/** Of a client beside what its TLS takes; 5.9 KB without TLS as measured. */
const MOST_KB = 8;
const TLS = { cert: String(LOCALHOST.cert), key: String(LOCALHOST.key) };

interface Measured {
  readonly port: number;
  readonly ownBytes: () => Promise<number>;
}

/** What a server has for each of these numbers of clients, each of which has had one answer, in KB. */
async function measure({ port, ownBytes }: Measured, isSecure: boolean): Promise<readonly number[]> {
  const clients: Socket[] = [];
  const host = "127.0.0.1";
  const close = (): void => clients.forEach((client) => client.destroy());
  onTestFinished(close);
  const open = (): Socket =>
    isSecure
      ? connectTls({ port, host, ca: LOCALHOST.cert, servername: "localhost", ...speaking("TLSv1.3") })
      : connectTcp({ port, host });
  const kilobytes: number[] = [];
  for (const count of CLIENTS) {
    while (clients.length < count) {
      const opened = Array.from({ length: Math.min(CONNECTING, count - clients.length) }, open);
      for (const client of opened) client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await Promise.all(opened.map((client) => once(client, "data")));
      clients.push(...opened);
    }
    kilobytes.push((await ownBytes()) / 1024);
  }
  expect(clients.filter(({ readable }) => readable)).toHaveLength(CLIENTS[2]);
  // This process may not have descriptors enough for those of the next server as well.
  close();
  return kilobytes;
}

function kilobytesEach([first = 0, , third = 0]: readonly number[]): number {
  return (third - first) / (CLIENTS[2] - CLIENTS[0]);
}

async function measureBalancer(tls?: typeof TLS): Promise<readonly number[]> {
  const backend = await startBackendProcess("one");
  // However long it takes to open all of them.
  const timeouts = { keepAliveMs: 3_600_000 };
  const balancer = await startBalancerProcess({ backends: [{ url: backend.url }], timeouts, ...(tls && { tls }) });
  // What a balancer at work has anyway.
  const load = startLoad(balancer.url, () => "GET", 20);
  await load.more(20_000);
  await load.stop();
  return measure(balancer, tls !== undefined);
}

it("10 000 idle clients take memory in proportion, at most a few KB each", async () => {
  const kilobytes = await measureBalancer();
  expect(kilobytesEach(kilobytes)).toBeLessThan(MOST_KB);
  const [first = 0, second = 0, third = 0] = kilobytes;
  // The heap grows in steps, which is why it may be less.
  expect(third - second).toBeLessThan((second - first) * 1.25);
});

it("10 000 idle clients of TLS take as little beside what a server of node:tls takes that does nothing", async () => {
  const bare = await startBareTlsProcess(TLS);
  const least = kilobytesEach(await measure(bare, true));
  // 27 KB as measured with Node 20; other releases bring another OpenSSL.
  expect(least).toBeGreaterThan(MOST_KB);
  expect(kilobytesEach(await measureBalancer(TLS))).toBeLessThan(least + MOST_KB);
});
