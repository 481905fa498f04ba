import { describe, expect, it } from "vitest";
import { aResult, aStep } from "../test-support/fixtures.js";
import { createMainDrawer } from "./draw-main.js";

const STEP = aStep();

/** A clock, and reports that take a time to draw. */
function createDrawer(drawingMs: number) {
  const clock = { now: 0, drawn: 0 };
  const drawer = createMainDrawer(
    ({ steps }) => {
      clock.now += drawingMs;
      clock.drawn += 1;
      return `${steps.length} steps`;
    },
    () => clock.now,
  );
  return { ...drawer, clock };
}

function resultOf(steps: number) {
  return aResult({ steps: Array.from({ length: steps }, () => STEP) });
}

describe("createMainDrawer", () => {
  it("has nothing before the first report", () => {
    expect(createDrawer(1).last()).toBeNull();
  });

  it("spends less than a twentieth of the time on reports", () => {
    const { draw, last, clock } = createDrawer(10);
    for (let step = 1; step <= 1000; step += 1) {
      clock.now += 5;
      draw(resultOf(step));
    }
    expect(clock.drawn).toBeGreaterThan(10);
    expect((clock.drawn * 10) / clock.now).toBeLessThanOrEqual(1 / 20);
    expect(last()?.html).toBe(`${last()?.steps} steps`);
  });

  it("draws the report of the end whatever it takes, and only once", () => {
    const { draw, drawNow, clock } = createDrawer(10);
    draw(resultOf(1));
    const end = resultOf(2);
    draw(end);
    expect(clock.drawn).toBe(1);
    expect(drawNow(end)).toEqual({ steps: 2, html: "2 steps" });
    expect(drawNow(end).steps).toBe(2);
    expect(clock.drawn).toBe(2);
  });

  it("keeps the last report where another cannot be drawn", () => {
    const drawer = createMainDrawer(
      ({ steps }) => {
        if (steps.length > 1) throw new Error("no");
        return "one";
      },
      () => 0,
    );
    drawer.draw(resultOf(1));
    expect(() => drawer.draw(resultOf(2))).toThrow("no");
    expect(drawer.last()?.html).toBe("one");
  });
});
