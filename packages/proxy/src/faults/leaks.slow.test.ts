import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { answersOf, countOutcomes, mixed, startLoad, sumOf } from "../test-support/load.js";
import { GONE_URL } from "../test-support/servers.js";
import { optionsFor, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { startBackendProcess, startBalancerProcess } from "./test-support/processes.js";

const REQUESTS = 20_000;
/** Requests that are left by their clients meanwhile. */
const LEFT = 100;
/** For each request: less than the smallest thing that is kept of one takes. */
const MAX_GROWTH_BYTES = 40;

/** Sends a request that is never answered over a connection of its own and closes it, so many times, one by one. */
async function sendAndLeave(port: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.write("GET /never HTTP/1.1\r\nHost: test\r\n\r\n", () => socket.destroy());
    await once(socket, "close");
  }
}

it.each(WAYS_OF_SOCKETS)("20 000 requests leave a balancer by %s its memory and its descriptors", async (transport) => {
  const [one, two] = await Promise.all([startBackendProcess("one"), startBackendProcess("two")]);
  const balancer = await startBalancerProcess({
    ...optionsFor(transport),
    backends: [
      { url: one.url, name: "one", weight: 20 },
      { url: two.url, name: "two", weight: 20 },
      { url: GONE_URL, name: "gone", weight: 1 },
    ],
    policy: "weighted-round-robin",
    health: { passive: false },
  });
  const descriptors = await balancer.descriptors();
  /** Sends all requests, waits until all descriptors are given back, and counts the answers by status. */
  const sendAll = async (): Promise<Record<string, number>> => {
    const load = startLoad(balancer.url, mixed, 20);
    await Promise.all([load.more(REQUESTS), sendAndLeave(balancer.port, LEFT)]);
    const counts = countOutcomes(await load.stop());
    // Connections to backends are closed when they were not used for 4 s.
    await expect.poll(balancer.descriptors, { interval: 100 }).toBe(descriptors);
    return counts;
  };

  const first = await sendAll();
  const heapBytes = await balancer.heapBytes();
  const second = await sendAll();
  expect(((await balancer.heapBytes()) - heapBytes) / REQUESTS).toBeLessThan(MAX_GROWTH_BYTES);

  // They were all there: answered, by another backend where one is gone, or left.
  const { backends } = await balancer.snapshot();
  expect(Object.keys({ ...first, ...second })).toEqual(["200"]);
  expect((first["200"] ?? 0) + (second["200"] ?? 0)).toBe(sumOf(backends, answersOf));
  expect(sumOf(backends, ({ errors, retries }) => errors - retries)).toBe(0);
  expect(sumOf(backends, ({ aborted }) => aborted)).toBe(2 * LEFT);
  expect(backends.map(({ inFlight, queued }) => inFlight + queued)).toEqual([0, 0, 0]);
  expect(backends.find(({ name }) => name === "gone")?.errors).toBeGreaterThan(REQUESTS / 50);
});
