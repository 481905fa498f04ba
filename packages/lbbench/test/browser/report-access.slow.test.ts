import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { StepResult } from "../../src/model/result.js";
import { renderHtml } from "../../src/report/html/page.js";
import { aRampResult } from "../../src/report/test-support/ramp-results.js";
import { aSweep, failed, withFailures } from "../../src/report/test-support/sample-results.js";
import { describeInBrowser, runAxe } from "../support/browser.js";

/** Returns what axe-core finds that keeps people out, a line each. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  const { violations } = await runAxe(page);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`));
}

const OPEN_DETAILS = "document.querySelectorAll('details').forEach((details) => { details.open = true })";

const SWEEP = aSweep({
  targets: ["single", "a-target-whose-name-is-so-long-that-no-phone-has-room-for-it-in-one-line".repeat(2)],
  trials: 3,
  change: (step): StepResult => {
    const { connections = 0 } = step.level;
    if (connections === 500) return failed(step);
    return connections > 100 ? withFailures(step, 0.1) : step;
  },
});

const RAMP = aRampResult();

describeInBrowser("a report for everybody", (open) => {
  test.each([
    ["sweep", "light", 1100, SWEEP],
    ["sweep", "dark", 390, SWEEP],
    ["ramp", "light", 320, RAMP],
    ["ramp", "dark", 1100, RAMP],
  ] as const)("of a %s has no barrier: %s, %i pixels wide", async (_, colorScheme, width, result) => {
    const { page } = await open(renderHtml(result), { colorScheme, viewport: { width, height: 800 } });
    await page.evaluate(OPEN_DETAILS);
    await page.locator(".chart-toolbar button").first().click();
    expect(await findBarriers(page)).toEqual([]);
  });

  test.each(Object.entries({ sweep: SWEEP, ramp: RAMP }))(
    "of a %s never scrolls sideways on a phone",
    async (_, result) => {
      const options = { viewport: { width: 320, height: 700 }, isMobile: true, hasTouch: true };
      const { page } = await open(renderHtml(result), options);
      await page.evaluate(OPEN_DETAILS);
      for (const plot of await page.locator(".chart-plot").all()) await plot.tap();
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    },
  );

  test("can be used by keys alone", async () => {
    const { page, problems } = await open(renderHtml(aSweep()));
    const focused = (expression: string): Promise<unknown> => page.evaluate(`document.activeElement.${expression}`);
    const tabTo = async (expression: string): Promise<void> => {
      for (let presses = 0; presses < 200; presses += 1) {
        await page.keyboard.press("Tab");
        if ((await focused(expression)) === true) return;
      }
      throw new Error(`no press of Tab leads to what is ${expression}`);
    };
    await page.keyboard.press("Tab");
    expect(await focused("textContent")).toBe("Skip to the report");

    const inChart = `closest('[data-chart="throughput"]')`;
    await tabTo(`matches(".chart-toolbar button") && document.activeElement.${inChart} !== null`);
    const wasLog = await focused('getAttribute("aria-pressed")');
    await page.keyboard.press("Enter");
    expect(await focused('getAttribute("aria-pressed")')).toBe(String(wasLog !== "true"));

    await tabTo(`matches(".chart-data summary") && document.activeElement.${inChart} !== null`);
    await page.keyboard.press("Enter");
    const figures = page.locator('figure[data-chart="throughput"] .chart-data table');
    expect(await figures.first().isVisible()).toBe(true);

    await tabTo(`matches("table.sortable th button")`);
    await page.keyboard.press("Enter");
    expect(await focused("closest('th').getAttribute('aria-sort')")).toBe("ascending");
    const chart = page.getByRole("img", { name: /^Throughput against connections\. Shows requests\/s/ });
    expect(await chart.count()).toBe(1);
    expect(problems).toEqual([]);
  });
});
