import { expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";
import { sweep } from "../../src/api/sweep.js";
import type { SweepInput } from "../../src/config/sweep-input.js";

const CALLS = 400;

it.runIf(needs("nginx"))("examples/grpc shows what its README says of one connection and four backends", async () => {
  const { duration: _duration, ...input } = JSON.parse(readDocument("examples/grpc/lbbench.config.json")) as SweepInput;
  const { result } = await sweep({ ...input, requests: CALLS }, { folder: inRepository("examples/grpc") });
  const told = Object.fromEntries(
    result.steps.map(({ target, measurement }) => {
      const counts = Object.values(measurement?.backends ?? {}).map(({ requests }) => requests);
      return [target, { counts: counts.toSorted((a, b) => b - a), statuses: measurement?.statusCodes }];
    }),
  );
  expect(told["balanced mode=tcp"]).toMatchObject({
    counts: [CALLS, 0, 0, 0],
    statuses: { UNAVAILABLE: expect.any(Number) },
  });
  for (const name of ["balanced mode=http", "nginx"]) {
    expect(told[name]?.counts, name).toHaveLength(4);
    for (const count of told[name]?.counts ?? []) expect(Math.abs(count - CALLS / 4), name).toBeLessThanOrEqual(1);
  }
});
