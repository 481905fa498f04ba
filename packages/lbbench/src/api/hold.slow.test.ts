import { expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { hold } from "./sweep.js";
import { connectionMemory } from "../judge/held.js";

/** How far apart what is linear may be: the heap of a server has its own moments. */
const FACTOR = 2;

it(
  "tells memory of a connection that is linear from 1,000 to 10,000, of a bare Node server",
  { timeout: 180_000 },
  async () => {
    const { result } = await hold({
      targets: [{ name: "bare", server: "single", options: { handler: "hello" } }],
      connections: [1000, 4000, 10_000],
      hold: { for: "6s" },
    });
    for (const { state, error, level, measurement } of result.steps) {
      expect(state, error?.message).toBe("completed");
      expect(measurement?.hold).toMatchObject({ alive: level.connections, established: level.connections });
    }
    const [few, some, many] = result.steps.map(({ usage }) => usage?.backends?.[0]?.memory?.middleBytes ?? NaN) as [
      number,
      number,
      number,
    ];
    const slopes = [(some - few) / 3000, (many - some) / 6000, (many - few) / 9000];
    const told = result.steps.flatMap((step) => connectionMemory(step).backend ?? []);
    // Of few connections it may be within the noise.
    expect(told.length).toBeGreaterThanOrEqual(2);
    const all = [...slopes, ...told.slice(-2)];
    // A socket, its parser and their handles: some kilobytes.
    expect(Math.min(...all)).toBeGreaterThan(1000);
    expect(Math.max(...all)).toBeLessThan(100_000);
    expect(Math.max(...all) / Math.min(...all)).toBeLessThan(FACTOR);
  },
);

it.runIf(needs("nginx"))("tells what a reload, a drain and a restart of nginx cost", { timeout: 120_000 }, async () => {
  const { result } = await hold({
    targets: ["nginx"],
    connections: 200,
    hold: { for: "16s", every: "1s" },
    faults: ["reload balancer at 1s", "drain backend-2 at 3s", "stop balancer at 5s", "start balancer at 6s"],
  });
  const [step] = result.steps;
  const { hold: held } = step?.measurement ?? {};
  expect(step?.faults?.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
  const { lost, established = NaN, alive = NaN } = held ?? {};
  const all = (lost?.closed ?? 0) + (lost?.reset ?? 0) + (lost?.givenUp ?? 0);
  expect(established).toBe(alive + all);
  // The restart ends every connection, and each is opened again by its next request.
  expect(all).toBeGreaterThanOrEqual(200);
  expect(alive).toBe(200);
});
