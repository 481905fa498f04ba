import { expect, test } from "vitest";
import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import { aFailedStep, aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { describeBreaks } from "./describe-breaks.js";

type Counts = NonNullable<MeasurementOverrides["requests"]>;

function sweepOf(levels: readonly Level[], counts: readonly Counts[]): Result {
  const scenario = aScenario({ targets: [{ name: "nginx", server: "url", options: {} }], reference: null, levels });
  const steps = levels.map((level, at) =>
    aStep({ target: "nginx", level, measurement: aMeasurement({ requests: counts[at] ?? { ok: 1 } }) }),
  );
  return aResult({ scenario, steps });
}

const at = (connections: number): Level => ({ connections, requests: 1000 });

test("says between which levels requests begin to fail, how many, and how, most often first", () => {
  const result = sweepOf(
    [at(100), at(200), at(300), at(400)],
    [{ ok: 1000 }, { ok: 1000 }, { ok: 472, non2xx: 528 }, { ok: 700, non2xx: 100, resets: 200 }],
  );
  expect(describeBreaks(result)).toEqual([
    "nginx: requests begin to fail between 200 and 300 connections; none failed up to 200 connections, 52.8 % at 300 (unexpected status), 30.0 % at 400 (resets, unexpected status)",
  ]);
});

test("counts the few that a share would round to nothing", () => {
  const [line] = describeBreaks(sweepOf([at(1), at(50)], [{ ok: 1000 }, { ok: 99_999, dropped: 1 }]));
  expect(line).toContain("1 of 100,000 at 50 (dropped)");
});

test("leaves levels in the middle of many out, never the first or the last", () => {
  const levels = [1, 2, 3, 4, 5, 6, 7].map(at);
  const [line = ""] = describeBreaks(sweepOf(levels, [{ ok: 10 }, ...levels.map(() => ({ ok: 5, resets: 5 }))]));
  expect([...line.matchAll(/ at (\d)/g)].map(([, level]) => level)).toEqual(["2", "3", "4", "7"]);
});

test.each<[string, readonly Level[], readonly Counts[]]>([
  ["nothing fails", [at(1), at(50)], [{ ok: 10 }, { ok: 10 }]],
  ["it fails from the first level on", [at(1), at(50)], [{ ok: 9, resets: 1 }, { ok: 10 }]],
  ["there is one level", [at(50)], [{ ok: 9, resets: 1 }]],
  [
    "levels differ in their amounts, too",
    [at(1), { connections: 1, requests: 10 }, at(50)],
    [{ ok: 10 }, { ok: 10 }, { ok: 9, resets: 1 }],
  ],
])("says nothing where %s", (_, levels, counts) => {
  expect(describeBreaks(sweepOf(levels, counts))).toEqual([]);
});

test("names a level in the middle that alone failed, and nothing as where failing begins", () => {
  const levels = [10, 50, 100, 200].map(at);
  expect(describeBreaks(sweepOf(levels, [{ ok: 30 }, { ok: 25, timedOut: 5 }, { ok: 30 }, { ok: 30 }]))).toEqual([
    "nginx: requests failed at 50 connections only, 16.7 % (timed out); none at lower levels and at higher ones",
  ]);
});

test("says nothing where failures come and go", () => {
  const levels = [10, 50, 100, 200].map(at);
  const counts = [{ ok: 30 }, { ok: 25, timedOut: 5 }, { ok: 30 }, { ok: 25, timedOut: 5 }];
  expect(describeBreaks(sweepOf(levels, counts))).toEqual([]);
});

/** 10, 50, 100 and 200 connections, some requests failing from 100 on, but for a step at one of the levels. */
function sweepBut(connections: number, step: StepResult): Result {
  const levels = [10, 50, 100, 200].map(at);
  const { steps, ...rest } = sweepOf(levels, [{ ok: 30 }, { ok: 30 }, { ok: 25, resets: 5 }, { ok: 20, resets: 10 }]);
  const placed = { ...step, target: "nginx", level: at(connections) };
  return { ...rest, steps: steps.map((one) => (one.level.connections === connections ? placed : one)) };
}

test.each([10, 50])(
  "does not say that none failed up to a level where the target died at %d below it",
  (connections) => {
    expect(describeBreaks(sweepBut(connections, aFailedStep()))).toEqual([]);
  },
);

test("does not say so of a level with a trial in which the target died", () => {
  const { steps, ...rest } = sweepBut(50, aStep());
  const died = aFailedStep({ target: "nginx", level: at(50), trial: 2 });
  expect(describeBreaks({ ...rest, steps })).toHaveLength(1);
  expect(describeBreaks({ ...rest, steps: [...steps, died] })).toEqual([]);
});

test("leaves out a level above at which the target died, of which a finding tells", () => {
  expect(describeBreaks(sweepBut(200, aFailedStep()))).toEqual([
    "nginx: requests begin to fail between 50 and 100 connections; none failed up to 50 connections, 16.7 % at 100 (resets)",
  ]);
});

test.each<[number, readonly string[]]>([
  [100, []],
  [
    200,
    [
      "nginx: requests begin to fail between 50 and 100 connections; none failed up to 50 connections, 16.7 % at 100 (resets)",
    ],
  ],
])("leaves what fails at %d connections to a finding with an error", (connections, lines) => {
  const findings = [{ code: "ALL_FAILED", severity: "error", args: {} }] as const;
  const measurement = aMeasurement({ requests: { ok: 0, resets: 30 } });
  expect(describeBreaks(sweepBut(connections, aStep({ measurement })))[0]).toContain(`100.0 % at ${connections}`);
  const told = describeBreaks(sweepBut(connections, aStep({ measurement, findings })));
  expect(told).toEqual(lines);
});
