import { expect, it } from "vitest";
import { compareTargets } from "./compare-targets.js";
import { compareWithReference } from "./compare-with-reference.js";
import { aRun, MARGINS, steady } from "./test-support/compare-samples.js";

const RUN = aRun({
  targets: ["single", "fast", "slow"],
  connections: [1, 50],
  scenario: { reference: "single" },
  speed: (trial, connections, target) =>
    steady(target === "slow" && connections === 50 ? 0.8 : target === "fast" ? 1.5 : 1)(trial),
});

it("judges every other target of a run by the margin, level by level", () => {
  const { status, targets } = compareWithReference(RUN, MARGINS);
  expect(status).toBe("fail");
  const answers = targets.flatMap(({ reference, other, levels }) =>
    levels.map(({ level, throughput }) => `${other} to ${reference} at ${level.connections}: ${throughput.worse}`),
  );
  expect(answers).toEqual([
    "fast to single at 1: no",
    "fast to single at 50: no",
    "slow to single at 1: no",
    "slow to single at 50: yes",
  ]);
});

it("says of changes, p-values and verdicts what compareTargets says", () => {
  const judged = compareWithReference(RUN, MARGINS).targets.flatMap(({ other, levels }) =>
    levels.map(({ level, throughput, p50, p99 }) => ({ target: other, level, metrics: [throughput, p50, p99] })),
  );
  const compared = compareTargets(RUN);
  expect(compared).toHaveLength(judged.length);
  for (const { target, level, metrics } of judged) {
    const same = compared.find((one) => one.target === target && one.level === level);
    const figures = [same?.throughput, same?.p50, same?.p99].map((one) => [one?.change, one?.pValue, one?.verdict]);
    expect(metrics.map(({ change, pValue, verdict }) => [change, pValue, verdict])).toEqual(figures);
  }
});

it("allows what the margin allows", () => {
  expect(compareWithReference(RUN, { ...MARGINS, margin: 0.4 }).status).toBe("pass");
});

it("is inconclusive without a reference", () => {
  expect(compareWithReference(aRun(), MARGINS)).toEqual({ status: "inconclusive", margins: MARGINS, targets: [] });
});
