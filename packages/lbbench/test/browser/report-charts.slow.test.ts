import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import { renderHtml } from "../../src/report/html/page.js";
import { aRampResult } from "../../src/report/test-support/ramp-results.js";
import { aSweep, withFailures, withFigures } from "../../src/report/test-support/sample-results.js";
import type { StepResult } from "../../src/model/result.js";
import { describeInBrowser } from "../support/browser.js";
import { chartOn, drag } from "../support/chart-on-page.js";

const SWEEP = aSweep();

const LEVELS = Array.from({ length: 20 }, (_, index) => 1 + 50 * index);

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

  test("say something where the mouse is, and nothing when it leaves", async () => {
    const { page } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    const { x, y, width, height } = await chart.box();
    const before = await chart.picture();
    await page.mouse.move(x + width / 2, y + height / 2);
    await expect.poll(chart.picture).not.toBe(before);
    await page.mouse.move(1, 1);
    await expect.poll(chart.picture).toBe(before);
  });

  test("hide a series when its entry in the legend is pressed, show it as before when pressed again, or it alone", async () => {
    const { page } = await open(renderHtml(aSweep({ targets: ["alpha", "beta", "gamma"] })));
    const chart = chartOn(page, "throughput");
    const { x, y, width, height } = await chart.box();
    const before = await chart.picture();
    const press = async (share: number, ...keys: readonly "Shift"[]): Promise<string> => {
      for (const key of keys) await page.keyboard.down(key);
      await page.mouse.click(x + width * share, y + height - 28);
      for (const key of keys) await page.keyboard.up(key);
      await page.mouse.move(1, 1);
      return chart.picture();
    };
    // The three entries stand in the middle of the bottom.
    let [share, hidden] = [0.3, before];
    while (hidden === before && share < 0.7) {
      share += 0.02;
      hidden = await press(share);
    }
    expect(hidden).not.toBe(before);
    expect(await press(share)).toBe(before);
    const alone = await press(share, "Shift");
    expect([before, hidden]).not.toContain(alone);
    expect(await press(share, "Shift")).toBe(before);
  });

  test("zoom to what is dragged over, and are as before after reset", async () => {
    const { page } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    const before = await chart.picture();
    expect(await chart.isZoomed()).toBe(false);
    await drag(page, chart, 0.5, 0.9);
    await expect.poll(chart.isZoomed).toBe(true);
    expect(await chart.picture()).not.toBe(before);
    await chart.button("reset").click();
    await page.mouse.move(1, 1);
    expect(await chart.isZoomed()).toBe(false);
    await expect.poll(chart.picture).toBe(before);
  });

  test("zoom by the wheel with ctrl, and leave a plain wheel to the page", async () => {
    const { page } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    await chart.plot.hover();
    const start = await page.evaluate<number>("scrollY");
    await page.mouse.wheel(0, 120);
    await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(start);
    expect(await chart.isZoomed()).toBe(false);
    await chart.plot.hover();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    await expect.poll(chart.isZoomed).toBe(true);
  });

  test("zoom by two fingers, and leave one finger to the page", async () => {
    const { page } = await open(renderHtml(SWEEP), { viewport: { width: 390, height: 800 }, hasTouch: true });
    const chart = chartOn(page, "throughput");
    const box = await chart.box();
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
    await expect.poll(chart.isZoomed).toBe(true);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.chart-plot')).touchAction")).toBe("pan-y");
  });

  test("switch between linear and logarithmic, where all values have a logarithm", async () => {
    const { page, problems } = await open(renderHtml(SWEEP));
    const chart = chartOn(page, "throughput");
    const before = await chart.picture();
    const isLog = (): Promise<(string | null)[]> =>
      Promise.all(["log x", "log y"].map((name) => chart.button(name).getAttribute("aria-pressed")));
    expect(await isLog()).toEqual(["true", "false"]);
    await chart.button("log y").click();
    await page.mouse.move(1, 1);
    expect([await isLog(), (await chart.picture()) === before]).toEqual([["true", "true"], false]);
    await chart.button("log y").click();
    await page.mouse.move(1, 1);
    await expect.poll(chart.picture).toBe(before);
    expect(problems).toEqual([]);
    const change = (step: StepResult): StepResult => withFigures(step, { throughput: 0 });
    const none = await open(renderHtml(aSweep({ change })));
    expect(await chartOn(none.page, "throughput").button("log y").count()).toBe(0);
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
