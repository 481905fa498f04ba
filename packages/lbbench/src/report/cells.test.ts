import { expect, test } from "vitest";
import { aFailedStep, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { cellsByTarget, collectCells, countFailed } from "./cells.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

test("cells come in the order of the scenario, not in that of the steps", () => {
  const result = aSweep({ connections: [50, 1], trials: 2 });
  const cells = collectCells({ ...result, steps: result.steps.toReversed() });
  expect(cells.map(({ target, level, steps }) => [target, level.connections, steps.map(({ trial }) => trial)])).toEqual(
    [
      ["single", 50, [1, 2]],
      ["single", 1, [1, 2]],
      ["balanced", 50, [1, 2]],
      ["balanced", 1, [1, 2]],
    ],
  );
});

test("a level that was not executed has no cell", () => {
  const result = aSweep({ connections: [1, 50] });
  expect(collectCells({ ...result, steps: result.steps.slice(0, 1) })).toHaveLength(1);
});

test("levels with the same connections and other requests are cells of their own", () => {
  const levels = [100, 1000].map((requests) => ({ connections: 10, requests }));
  const result = aResult({ scenario: aScenario({ levels }) });
  expect(collectCells(result)).toHaveLength(2);
});

test("the figures rest on completed trials where there are any", () => {
  const [cell] = collectCells(
    aSweep({ connections: [50], trials: 3, change: (step) => (step.trial === 2 ? failed(step) : step) }),
  );
  expect(cell?.measurements).toHaveLength(2);
  expect(cell?.cutShort).toBe(false);
});

test("what was counted before a fault counts where no trial was completed", () => {
  const cut = { ...aFailedStep(), measurement: aStep().measurement };
  const [cell] = collectCells(aResult({ steps: [cut as ReturnType<typeof aFailedStep>] }));
  expect(cell?.measurements).toHaveLength(1);
  expect(cell?.cutShort).toBe(true);
});

test("failed requests are added up over classes and trials", () => {
  const result = aSweep({
    targets: ["single"],
    connections: [50],
    trials: 2,
    change: (step) => withFailures(step, 0.1),
  });
  expect(collectCells(result).map(countFailed)).toEqual([300]);
});

test("targets named like members of objects are targets like any other", () => {
  const cells = collectCells(aSweep({ targets: ["constructor", "__proto__"], connections: [1] }));
  expect([...cellsByTarget(cells).keys()]).toEqual(["constructor", "__proto__"]);
});
