import { describe, expect, it } from "vitest";
import { selectPart } from "./part.js";
import { aRun, slower } from "./test-support/a-run.js";

const run = aRun({ targets: { base: slower(1), new: slower(1.4) }, scenario: { reference: "base" } });

describe("selectPart", () => {
  it("returns all of a result for no part", () => {
    expect(selectPart(run)).toEqual(run);
  });

  it("returns the steps and the scenario of a target at a level, and no reference that is not among them", () => {
    const part = selectPart(run, { target: "new", connections: 50 });
    expect(new Set(part.steps.map(({ target, level }) => `${target} ${level.connections}`))).toEqual(
      new Set(["new 50"]),
    );
    expect(part.steps).toHaveLength(5);
    expect(part.scenario.targets.map(({ name }) => name)).toEqual(["new"]);
    expect(part.scenario.levels.map(({ connections }) => connections)).toEqual([50]);
    expect(part.scenario.reference).toBeNull();
    expect(selectPart(run, { target: "base" }).scenario.reference).toBe("base");
  });

  it("tells rates and users from connections", () => {
    const rates = aRun({ scenario: { levels: [{ rate: 50, durationMs: 3000 }] } });
    expect(selectPart(rates, { rate: 50 }).steps).toHaveLength(5);
    expect(() => selectPart(rates, { connections: 50 })).toThrow("expected a level of the result (rate 50), got 50");
    expect(() => selectPart(rates, { users: [] })).toThrow("at least one level");
  });
});
