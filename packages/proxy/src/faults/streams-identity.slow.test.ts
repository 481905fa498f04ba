import { expect, it } from "vitest";
import { startIdentityBackend } from "../test-support/identity-load.js";
import { exchangeStreamIdentities, startIdentityStreamBackend } from "../test-support/identity-streams.js";
import { answersOf, sumOf } from "../test-support/load.js";
import { startBalancerProcess } from "./test-support/processes.js";

const COUNT = 1_000_000;

/** Two cores that others use as well take two minutes, 8,000 streams a second; this is for slower ones. */
const MOST_MS = 600_000;

it("a million streams have one outcome each, and answers go to those who asked", { timeout: MOST_MS }, async () => {
  const mistakes: string[] = [];
  const plain = [await startIdentityBackend(mistakes, 1), await startIdentityBackend(mistakes, 2)];
  const streams = [await startIdentityStreamBackend(mistakes, 3), await startIdentityStreamBackend(mistakes, 4)];
  const balancer = await startBalancerProcess({
    backends: [...plain, ...streams].map(({ url }, index) => ({ url, name: `b${index}` })),
    backendHeader: "x-server",
    health: { passive: false },
  });
  const { asked, answers, failed, left, cut, slow } = await exchangeStreamIdentities(balancer.url, COUNT, mistakes);
  expect(mistakes).toEqual([]);
  const answered = Object.values(answers).reduce((sum, count) => sum + count, 0);
  expect({ asked, ended: answered + failed + left + cut }).toEqual({ asked: COUNT, ended: COUNT });
  // All that the test is about has happened, and not to most of them.
  expect(Math.min(failed, left, cut, slow)).toBeGreaterThan(COUNT / 10_000);
  expect(answered).toBeGreaterThan(0.97 * COUNT);

  // Nothing is left over.
  await expect
    .poll(async () => {
      const { backends, connections } = await balancer.snapshot();
      const inFlight = sumOf(backends, (backend) => backend.inFlight);
      return { connections, inFlight, queued: sumOf(backends, ({ queued }) => queued) };
    })
    .toEqual({ connections: 0, inFlight: 0, queued: 0 });
  await expect.poll(() => streams.map(({ openStreams }) => openStreams())).toEqual([0, 0]);

  // The balancer may have answered what a client was about to give up; all else it counts as the clients do.
  const { backends, refused } = await balancer.snapshot();
  let unseen = 0;
  for (const backend of backends) {
    expect(backend.requests).toBe(answersOf(backend) + backend.errors + backend.aborted);
    const more = backend.answers["2xx"] - (answers[backend.name] ?? 0);
    expect(more).toBeGreaterThanOrEqual(0);
    unseen += more;
  }
  const others = sumOf(backends, (backend) => answersOf(backend) - backend.answers["2xx"]);
  const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0);
  const unseenFailures = sumOf(backends, ({ errors, retries }) => errors - retries) + others + refusals - failed;
  expect(unseenFailures).toBeGreaterThanOrEqual(0);
  expect(unseen + unseenFailures).toBeLessThanOrEqual(left);
  // Requests that were given up before a backend was picked are in no count of the balancer.
  const counted = sumOf(backends, ({ requests, retries }) => requests - retries) + refusals;
  expect(counted).toBeLessThanOrEqual(COUNT);
  expect(COUNT - counted).toBeLessThanOrEqual(left + cut);
});
