import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser, runAxe } from "../support/browser.js";
import { chartOn, drag } from "../support/chart-on-page.js";
import { expectClosed } from "../support/expect-closed.js";
import type { Result } from "../../src/model/result.js";
import { aScenario } from "../../src/test-support/fixtures.js";
import { createSampleResult } from "../../src/testing/sample-result.js";
import { openLiveView, type LiveView } from "../../src/live/live-view.js";
import { listen } from "../../src/live/test-support/listen.js";
import { aProgress, aSecond, aStart, aStepBegun, KEY } from "../../src/live/test-support/sweep-events.js";

const PATIENCE = { timeout: 10_000, interval: 20 };
const RESULT = createSampleResult();

/** The result as it was after so many steps. */
function after(steps: number): Result {
  return { ...RESULT, complete: false, finishedAt: null, steps: RESULT.steps.slice(0, steps) };
}

async function openView(): Promise<LiveView> {
  const view = await openLiveView();
  onTestFinished(() => view.close());
  return view;
}

async function stepsShown(page: Page): Promise<number> {
  const json = await page.locator("#result").textContent();
  return (JSON.parse(json ?? "") as Result).steps.length;
}

describeInBrowser("the live page", (_open, visit) => {
  it("leaves the reader where they are when a step is added to the report", async () => {
    const view = await openView();
    view.onEvent(aStart(16));
    view.onEvent({ type: "partial", result: after(8) });
    const { page, problems } = await visit(view.url);
    await page.locator('#report [data-part="results"] table.sortable th button').first().click();
    const chart = chartOn(page, "throughput");
    await chart.button("log y").click();
    await drag(page, chart, 0.5, 0.8);
    const chartShown = async () => [await chart.button("log y").getAttribute("aria-pressed"), await chart.isZoomed()];
    await expect.poll(chartShown).toEqual(["true", true]);
    const details = page.locator("#report details").last();
    await details.locator("summary").first().click();
    const button = page.locator('#report [data-part="results"] table.sortable th button').nth(1);
    await button.focus();
    const sorted = page.locator('#report [data-part="results"] table.sortable').first().locator("th").first();
    expect(await sorted.getAttribute("aria-sort")).toBe("ascending");
    // Far down, below tables that get more rows.
    const heading = page.locator("#report h2").last();
    await heading.evaluate((one) => one.scrollIntoView({ block: "start", behavior: "instant" }));
    const place = (): Promise<number> => heading.evaluate((one) => Math.round(one.getBoundingClientRect().top));
    // Charts take their size some frames after they were changed.
    const movedIn = async (ms: number): Promise<number> => {
      const from = await place();
      await page.waitForTimeout(ms);
      return (await place()) - from;
    };
    await expect.poll(() => movedIn(500), PATIENCE).toBe(0);
    const scrolled = await page.evaluate<number>("scrollY");
    const [before, word] = [await place(), await button.textContent()];

    view.onEvent({ type: "partial", result: after(16) });
    await expect.poll(() => stepsShown(page), PATIENCE).toBe(16);
    expect(await sorted.getAttribute("aria-sort")).toBe("ascending");
    expect(await chartShown()).toEqual(["true", true]);
    expect(await details.getAttribute("open")).not.toBeNull();
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe(word);
    await expect.poll(async () => Math.abs((await place()) - before), PATIENCE).toBeLessThanOrEqual(2);
    expect(await page.evaluate<number>("scrollY")).not.toBe(scrolled);
    expect(problems).toEqual([]);
  });

  it("shows words from outside as text", async () => {
    const evil = `<img src=x onerror="document.title='executed'">`;
    const view = await openView();
    view.onEvent({ ...aStart(2), scenario: aScenario({ trials: 3 }) });
    view.onEvent({ type: "partial", result: after(1) });
    const { page, problems } = await visit(view.url);
    view.onEvent(aStepBegun(1, { ...KEY, target: evil }));
    await expect
      .poll(() => page.locator(".live-step").textContent(), PATIENCE)
      .toBe(`${evil}, 50 connections, trial 1`);
    expect(await page.locator("#live-panel img").count()).toBe(0);
    expect(await page.title()).not.toBe("executed");
    expect(problems).toEqual([]);
  });

  it("says it when the run ends by an error, and when it goes on with more pages than are served", async () => {
    const view = await openView();
    view.onEvent(aStart(2));
    view.onEvent({ type: "partial", result: after(1) });
    const followed = await visit(view.url);
    await expect.poll(() => followed.page.locator(".live-left").textContent(), PATIENCE).toContain("1 of 2 steps done");
    const { port, pathname } = new URL(view.url);
    await Promise.all(Array.from({ length: 7 }, () => listen(Number(port), `${pathname}events`)));
    const { page } = await visit(view.url);
    await expect.poll(() => page.locator("#live-panel").textContent(), PATIENCE).toContain("too many pages");
    expect(await page.locator("#report").isVisible()).toBe(true);
    await view.close();
    const last = (): Promise<string | null> => followed.page.locator("#live-panel").textContent();
    await expect.poll(last, PATIENCE).toContain("ended without a report");
    expect(followed.problems).toEqual([]);
    await expectClosed([Number(port)]);
  });

  it.each([
    ["on a desk", { viewport: { width: 1100, height: 800 } }],
    ["on a phone, in the dark", { viewport: { width: 360, height: 700 }, colorScheme: "dark" }],
  ] as const)("can be read by everybody %s", async (_, options) => {
    const view = await openView();
    view.onEvent(aStart(16));
    view.onEvent({ type: "partial", result: after(8) });
    const { page, problems } = await visit(view.url, options);
    view.onEvent(aStepBegun(8, { ...KEY, target: "a-name-that-nobody-would-want-to-type-".repeat(4) }));
    for (const second of [0, 1, 2]) {
      view.onEvent(aProgress({ failed: 3, latest: aSecond(second, { users: second + 1 }) }));
    }
    await expect.poll(() => page.locator(".live-figures dd").first().textContent(), PATIENCE).toBe("9.00");
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width, "wider than the window").toBeLessThanOrEqual(options.viewport.width);
    const { violations, passes } = await runAxe(page, "#live-panel");
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain("color-contrast");
    expect(problems).toEqual([]);
  });
});
