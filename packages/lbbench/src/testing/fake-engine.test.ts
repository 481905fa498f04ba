import { expect, it } from "vitest";
import { aRequest } from "../test-support/fixtures.js";
import type { Load, LoadProgress } from "../plugin.js";
import { createFakeEngine } from "./fake-engine.js";

const LOAD: Load = {
  url: "http://localhost/",
  level: { connections: 10, durationMs: 4000 },
  request: aRequest(),
  timeoutMs: 1000,
  keepAlive: true,
  options: {},
  atEnd: "cut",
  generators: 1,
};

it("tells of its progress what its measurement says in the end", async () => {
  const told: LoadProgress[] = [];
  const engine = createFakeEngine({ see: () => ({ requests: { non2xx: 100 } }) });
  const { measurement } = await engine.run(LOAD, {
    signal: new AbortController().signal,
    children: { acquire: () => [], close: async () => {} },
    folder: ".",
    onProgress: (progress) => void told.push(progress),
  });
  expect(told.map(({ failed, elapsedMs }) => [failed, elapsedMs])).toEqual([
    [50, 2000],
    [100, 4000],
  ]);
  expect(told.map(({ latest }) => latest)).toEqual([measurement.timeline[1], measurement.timeline[3]]);
});

it("tells of no second before one is over", async () => {
  const told: LoadProgress[] = [];
  await createFakeEngine().run(
    { ...LOAD, level: { connections: 10, durationMs: 500 } },
    {
      signal: new AbortController().signal,
      children: { acquire: () => [], close: async () => {} },
      folder: ".",
      onProgress: (progress) => void told.push(progress),
    },
  );
  expect(told).toHaveLength(2);
  for (const progress of told) expect(progress).not.toHaveProperty("latest");
});
