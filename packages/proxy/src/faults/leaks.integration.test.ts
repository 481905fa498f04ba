import { describe, expect, it } from "vitest";
import { startBackend } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { sendAndLeave, sendPipelined } from "./test-support/send-pipelined.js";
import { startBackendProcesses } from "./test-support/start-backend-process.js";
import { startBalancerProcess, type BalancerProcess } from "./test-support/start-balancer-process.js";
import { answersOf, sumOf } from "./test-support/tallies.js";

const WARM_UP = 20_000;
const REQUESTS = 200_000;
/** For this many requests that are answered there is one that its client leaves before. */
const LEFT_ONE_IN = 200;
/** Less than the 8 bytes that a single reference takes, for each request. */
const HEAP_BYTES = 5 * REQUESTS;
/** Most of it for slow machines. */
const TIMEOUT_MS = 240_000;

/** Expects that a balancer comes to rest: that it gives back all descriptors but those that it began with. */
async function expectRest(balancer: BalancerProcess, descriptors: number): Promise<void> {
  // Connections to backends are closed when nobody has used them for 4 s.
  await expect.poll(balancer.descriptors, { interval: 100, timeout: 20_000 }).toBe(descriptors);
}

describe.each(TRANSPORTS)("a balancer by %s that has answered 200 000 requests", (transport) => {
  it("has the memory and the descriptors that it had before", { timeout: TIMEOUT_MS }, async () => {
    const [one, two] = await startBackendProcesses(["one", "two"], { notes: false });
    const gone = await startBackend(() => undefined);
    await gone.close();
    const balancer = await startBalancerProcess({
      transport,
      backends: [
        { url: one.url, name: "one", weight: 20 },
        { url: two.url, name: "two", weight: 20 },
        { url: gone.url, name: "gone", weight: 1 },
      ],
      policy: "weighted-round-robin",
      health: { passive: false },
    });
    const descriptors = await balancer.descriptors();
    const send = async (requests: number): Promise<Record<string, number>> => {
      const [answers] = await Promise.all([
        sendPipelined(balancer.port, requests, 10),
        sendAndLeave(balancer.port, requests / LEFT_ONE_IN),
      ]);
      await expectRest(balancer, descriptors);
      return answers;
    };

    const first = await send(WARM_UP);
    const heapBytes = await balancer.heapBytes();
    const second = await send(REQUESTS);
    const grownBytes = (await balancer.heapBytes()) - heapBytes;
    expect(grownBytes).toBeLessThan(HEAP_BYTES);

    // They were all there: answered, left, or lost at the backend that is gone.
    const { backends } = await balancer.snapshot();
    const statusCount = (status: string): number => (first[status] ?? 0) + (second[status] ?? 0);
    expect(statusCount("200") + statusCount("502")).toBe(WARM_UP + REQUESTS);
    expect(statusCount("200")).toBe(sumOf(backends, answersOf));
    expect(statusCount("502")).toBe(
      sumOf(backends, ({ errors }) => errors) - sumOf(backends, ({ retries }) => retries),
    );
    expect(sumOf(backends, ({ aborted }) => aborted)).toBe((WARM_UP + REQUESTS) / LEFT_ONE_IN);
    expect(backends.map(({ inFlight, queued }) => inFlight + queued)).toEqual([0, 0, 0]);
    expect(backends.find(({ name }) => name === "gone")?.errors).toBeGreaterThan(REQUESTS / 50);
  });
});
