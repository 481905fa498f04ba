import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import { renderHtml } from "../../src/report/html/page.js";
import { aRampResult } from "../../src/report/test-support/ramp-results.js";
import { aSweep, withFailures, withFigures } from "../../src/report/test-support/sample-results.js";
import type { StepResult } from "../../src/model/result.js";
import { describeInBrowser } from "../support/browser.js";

/** The first target at 250 connections has a throughput that is known to the last digit. */
const SWEEP = aSweep({
  change: (step) =>
    step.target === "single" && step.level.connections === 250 ? withFigures(step, { throughput: 8533.129384 }) : step,
});

const LEVELS = Array.from({ length: 20 }, (_, index) => 1 + 50 * index);

interface ChartOnPage {
  readonly figure: Locator;
  readonly plot: Locator;
  readonly tooltip: Locator;
  readonly seen: Locator;
  readonly button: (name: string) => Locator;
  /** What is drawn, as the address of a picture. */
  readonly picture: () => Promise<string>;
}

function chartOn(page: Page, id: string): ChartOnPage {
  const figure = page.locator(`figure[data-chart="${id}"]`);
  const plot = figure.locator(".chart-plot");
  return {
    figure,
    plot,
    tooltip: figure.locator(".chart-tooltip"),
    seen: figure.locator(".chart-range"),
    button: (name) => figure.getByRole("button", { name, exact: true }),
    picture: () =>
      page.evaluate<string>(`document.querySelector('[data-chart="${id}"] .chart-plot canvas').toDataURL()`),
  };
}

/** Moves the mouse over a chart until it says where it is. */
async function hoverUntil(page: Page, { plot, tooltip }: ChartOnPage, words: string): Promise<string> {
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  for (let share = 0; box !== null && share <= 1; share += 0.02) {
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
    const said = await tooltip.textContent();
    if (said?.includes(words) === true) return said;
  }
  throw new Error(`nowhere on the chart stands ${words}`);
}

/** How many pixels of each chart differ from its corner, by the id of the chart. */
const COUNT_PIXELS = `Object.fromEntries([...document.querySelectorAll("figure.chart")].map((figure) => {
  const canvas = figure.querySelector(".chart-plot canvas");
  const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return [figure.dataset.chart, pixels.filter((pixel) => pixel !== pixels[0]).length];
}))`;

describeInBrowser("charts of a report in a browser", (open) => {
  test.each([
    ["a sweep with failures", aSweep({ trials: 5, change: (step) => withFailures(step, 0.1) })],
    ["a single level", aSweep({ connections: [50], trials: 3 })],
    ["a ramp", aRampResult()],
    ["5 targets, 20 levels and 5 trials", aSweep({ targets: "abcde".split(""), connections: LEVELS, trials: 5 })],
  ])("are all drawn for %s, without an error or a request", async (_, result) => {
    const { page, problems, requests } = await open(renderHtml(result));
    const drawn = await page.evaluate<Record<string, number>>(COUNT_PIXELS);
    expect(Object.keys(drawn)).toEqual(chartDefinitions(result).map(({ id }) => id));
    for (const [id, pixels] of Object.entries(drawn)) expect(pixels, id).toBeGreaterThan(2000);
    expect([problems, requests]).toEqual([[], []]);
  });

  test("say exact values under the mouse, with intervals and outliers, and nothing when it leaves", async () => {
    const throughputs = [8000.5, 8010, 8020, 8030, 8040, 8050, 8060, 2000.25];
    const change = (step: StepResult): StepResult =>
      withFigures(step, { throughput: throughputs[step.trial - 1] ?? 0 });
    const { page } = await open(renderHtml(aSweep({ trials: 8, targets: ["only"], change })));
    const chart = chartOn(page, "throughput");
    const said = await hoverUntil(page, chart, "connections: 100");
    for (const words of ["only 8,025", "requests/s", " to 8,0", "outliers 2,000.25"]) expect(said).toContain(words);
    await page.mouse.move(1, 1);
    expect(await chart.tooltip.isVisible()).toBe(false);
    const exact = await open(renderHtml(SWEEP));
    expect(await hoverUntil(exact.page, chartOn(exact.page, "throughput"), "connections: 250")).toMatch(
      /single 8,533\.129(?!\d)/,
    );
  });

  test("hide a series when its entry in the legend is pressed, show it as before when pressed again, or it alone", async () => {
    const { page } = await open(renderHtml(aSweep({ targets: ["alpha", "beta", "gamma"] })));
    const chart = chartOn(page, "throughput");
    const pressed = (): Promise<readonly (string | null)[]> =>
      Promise.all(["alpha", "beta", "gamma"].map((name) => chart.button(name).getAttribute("aria-pressed")));
    const before = await chart.picture();
    await chart.button("alpha").click();
    expect([await pressed(), (await chart.picture()) === before]).toEqual([["false", "true", "true"], false]);
    const said = await hoverUntil(page, chart, "connections: 250");
    expect(said).toMatch(/^(?!.*alpha).*beta.*gamma/s);
    await chart.button("alpha").click();
    await page.mouse.move(1, 1);
    expect(await chart.picture()).toBe(before);
    await chart.button("beta").dblclick();
    expect(await pressed()).toEqual(["false", "true", "false"]);
    await chart.button("beta").dblclick();
    await chart.button("gamma").click({ modifiers: ["Shift"] });
    expect(await pressed()).toEqual(["false", "false", "true"]);
  });

  test("zoom by buttons and to what is dragged over, and are as before after reset", async () => {
    const { page } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    const before = await chart.picture();
    await chart.button("Zoom in").click();
    const alongX = /^shown: connections [\d.]+ to [\d.,]+$/;
    expect(await chart.seen.textContent()).toMatch(alongX);
    const nearer = await chart.picture();
    expect(nearer).not.toBe(before);
    await chart.button("Zoom in").click();
    await chart.button("Zoom out").click();
    expect(await chart.picture()).toBe(nearer);
    await chart.button("reset").click();
    expect([await chart.seen.textContent(), (await chart.picture()) === before]).toEqual(["", true]);
    await chart.plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await chart.plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const [bottom, seen] of [
      [0.31, alongX],
      [0.7, /^shown: connections .+; requests\/s [\d,.]+ to [\d,.]+$/],
    ] as const) {
      await page.mouse.move(x + width * 0.5, y + height * 0.3);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.7, y + height * 0.4);
      await page.mouse.move(x + width * 0.9, y + height * bottom);
      await page.mouse.up();
      expect(await chart.seen.textContent()).toMatch(seen);
      await chart.button("reset").click();
    }
  });

  test("zoom by the wheel with ctrl, and leave a plain wheel to the page", async () => {
    const { page } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    await chart.plot.hover();
    const start = await page.evaluate<number>("scrollY");
    await page.mouse.wheel(0, 120);
    await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(start);
    expect(await chart.seen.textContent()).toBe("");
    await chart.plot.hover();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    await chart.seen.filter({ hasText: "shown: connections" }).waitFor();
  });

  test("zoom by two fingers, and leave one finger to the page", async () => {
    const { page } = await open(renderHtml(SWEEP), { viewport: { width: 390, height: 800 }, hasTouch: true });
    const chart = chartOn(page, "throughput");
    await chart.plot.scrollIntoViewIfNeeded();
    const box = (await chart.plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const touch = await page.context().newCDPSession(page);
    const middle = box.y + box.height / 2;
    const fingers = async (type: "Start" | "Move" | "End", ...lefts: readonly number[]): Promise<void> => {
      const touchPoints = lefts.map((left, id) => ({ x: box.x + left, y: middle, id }));
      await touch.send("Input.dispatchTouchEvent", { type: `touch${type}`, touchPoints });
    };
    await fingers("Start", 150, 200);
    await fingers("Move", 130, 220);
    await fingers("Move", 110, 240);
    await fingers("End");
    expect(await chart.seen.textContent()).toMatch(/^shown: connections/);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.chart-plot')).touchAction")).toBe("pan-y");
  });

  test("switch between linear and logarithmic, and say how many zeros a logarithmic axis has no place for", async () => {
    const change = (step: StepResult): StepResult =>
      (step.level.connections ?? 0) > 400 ? withFigures(step, { throughput: 0 }) : step;
    const { page, problems } = await open(renderHtml(aSweep({ targets: ["only"], change })));
    const chart = chartOn(page, "throughput");
    const note = chart.figure.locator(".chart-note");
    const before = await chart.picture();
    const isLog = (): Promise<(string | null)[]> =>
      Promise.all(["log x", "log y"].map((name) => chart.button(name).getAttribute("aria-pressed")));
    expect([await isLog(), await note.textContent()]).toEqual([["true", "false"], ""]);
    await chart.button("log y").click();
    expect([await isLog(), (await chart.picture()) === before]).toEqual([["true", "true"], false]);
    expect(await note.textContent()).toContain("2 values are 0 and not drawn");
    await chart.button("log y").click();
    expect(await chart.picture()).toBe(before);
    expect(problems).toEqual([]);
  });

  test("are dark in the dark, light in the light, and white on paper", async () => {
    const { page } = await open(renderHtml(SWEEP), { colorScheme: "dark" });
    const corner = (): Promise<number> =>
      page.evaluate<number>(
        `document.querySelector(".chart-plot canvas").getContext("2d").getImageData(0, 0, 1, 1).data[0]`,
      );
    const white = 255;
    expect(await corner()).toBeLessThan(white / 4);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(corner).toBe(white);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(corner).toBeLessThan(white / 4);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await expect.poll(corner).toBe(white);
  });

  test("are drawn again in the width of the window", async () => {
    const { page } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    await page.setViewportSize({ width: 500, height: 800 });
    const widthOf = async (one: Locator): Promise<number | undefined> => (await one.boundingBox())?.width;
    await expect.poll(() => widthOf(chart.plot.locator("canvas"))).toBeLessThanOrEqual(500);
    expect(await widthOf(chart.plot.locator("canvas"))).toBe(await widthOf(chart.plot));
  });
});
