import { expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import type { LoadProgress } from "../plugin.js";
import type { LiveUsage, SweepEvent } from "./sweep-event.js";

it("tells while a step of three seconds goes on what its result says in the end", async () => {
  const events: SweepEvent[] = [];
  const { result } = await sweep(
    {
      targets: [{ name: "balanced", server: "balanced", options: { backends: 2 } }],
      connections: [4],
      duration: "3s",
      warmup: "200ms",
      generators: 2,
    },
    { onEvent: (event) => void events.push(event) },
  );
  const [step] = result.steps;
  const { timeline = [], requests } = step?.measurement ?? {};
  expect(step).toMatchObject({ state: "completed" });

  const progress: readonly LoadProgress[] = events.filter((event) => event.type === "progress");
  const seconds = new Map(progress.flatMap(({ latest }) => (latest === undefined ? [] : [[latest.second, latest]])));
  // All but the last one, unless the machine is too busy to ask in time.
  expect(seconds.size).toBeGreaterThanOrEqual(1);
  expect([...seconds.values()]).toEqual(timeline.slice(0, seconds.size));
  expect(timeline.reduce((sum, { ok }) => sum + ok, 0)).toBe(requests?.ok);
  expect(progress.map(({ failed }) => failed)).toEqual(progress.map(() => 0));

  const usages: readonly LiveUsage[] = events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
  expect(usages.length).toBeGreaterThanOrEqual(1);
  for (const usage of usages) {
    expect(Object.keys(usage).toSorted()).toEqual(["backend", "balancer", "generator"]);
    for (const { cpu, rssBytes } of Object.values(usage)) {
      expect(cpu).toBeGreaterThan(0);
      expect(rssBytes).toBeGreaterThan(10_000_000);
    }
  }
});
