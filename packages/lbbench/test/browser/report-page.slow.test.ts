import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Result, StepResult } from "../../src/model/result.js";
import { renderHtml } from "../../src/report/html/page.js";
import { aSweep, withFailures, withFigures } from "../../src/report/test-support/sample-results.js";
import { aFailedStep } from "../../src/test-support/fixtures.js";
import { readDocument } from "@lbbench/test-support/repository.js";
import { describeInBrowser } from "../support/browser.js";

const SAMPLE = JSON.parse(readDocument("reports/sample-sweep/result.json")) as Result;

const MEGABYTE = 1_000_000;

const HOSTILE = [
  "<img src=x onerror=window.pwned=1>",
  "</script><script>window.pwned=1</script>",
  "\"><svg onload=window.pwned=1>' <!-- <script>",
  "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1} `",
] as const;

/** Puts markup wherever words from outside can stand: names of targets, status codes, error codes and texts, the command. */
function aHostileResult(): Result {
  const [, script, attribute] = HOSTILE;
  const change = (step: StepResult): StepResult => {
    if (step.level.connections === 1000) {
      const error = { code: attribute, message: `it said </script>${script}` };
      return aFailedStep({ target: step.target, level: step.level, trial: step.trial, error } as Partial<StepResult>);
    }
    return withFigures(withFailures(step, 0.01), { statusCodes: { "200": 990, [script]: 10 } });
  };
  const result = aSweep({ targets: [...HOSTILE], change });
  return { ...result, command: `lbbench sweep '${script}'`, scenario: { ...result.scenario, name: script } };
}

/** Opens, points at, walks through and presses every element. */
const USE_EVERYTHING = `
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const plot of document.querySelectorAll(".chart-plot")) {
    const { left, top, width, height } = plot.getBoundingClientRect();
    const middle = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true };
    plot.querySelector("canvas").dispatchEvent(new MouseEvent("mousemove", middle));
  }
  for (const button of document.querySelectorAll("main button")) {
    button.click();
    button.click();
  }
`;

describeInBrowser("a report in a browser", (open) => {
  test("of the default sweep weighs less than a megabyte, and saves the result that it was made of", async () => {
    const html = renderHtml(SAMPLE);
    expect(Buffer.byteLength(html)).toBeLessThan(MEGABYTE);
    const { page, requests } = await open(html, { acceptDownloads: true });
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: /download/i }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("result.json");
    expect(JSON.parse(readFileSync(await file.path(), "utf8"))).toEqual(SAMPLE);
    expect(requests).toEqual([]);
  });

  test("sorts a table up, down, and back, by one column at a time", async () => {
    const { page, problems } = await open(renderHtml(SAMPLE));
    const table = page.locator('[data-part="results"] table.sortable').first();
    const [first, second] = [0, 1].map((at) => table.locator("thead th").nth(at)) as [Locator, Locator];
    const texts = (): Promise<readonly string[]> => table.locator("tbody tr > :nth-child(2)").allTextContents();
    const before = await texts();
    const number = (text: string): number => Number(text.replaceAll(",", ""));
    const rising = before.toSorted((a, b) => number(a) - number(b));
    const falling = before.toSorted((a, b) => number(b) - number(a));
    expect(rising).not.toEqual(before);
    for (const [order, expected] of Object.entries({ ascending: rising, descending: falling, none: before })) {
      await second.getByRole("button").click();
      expect([await second.getAttribute("aria-sort"), await texts()]).toEqual([order, expected]);
    }
    for (const head of [first, second]) await head.getByRole("button").click();
    expect(await table.locator("th[aria-sort$=ending]").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test("is as dark or as light as the reader wants, also when it is opened again", async () => {
    const { page } = await open(renderHtml(SAMPLE), { colorScheme: "light" });
    const paper = (): Promise<string> =>
      page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    const light = await paper();
    const choice = page.getByLabel("Colours");
    await choice.selectOption("dark");
    await expect.poll(paper).not.toBe(light);
    const dark = await paper();
    // Chromium may lose what a page stored in the moment before it is left: then the reader chooses again.
    const openedAgain = async (): Promise<readonly string[]> => {
      await choice.selectOption("dark");
      await page.reload();
      return [await paper(), await choice.inputValue()];
    };
    await expect.poll(openedAgain, { timeout: 30_000 }).toEqual([dark, "dark"]);
    await page.emulateMedia({ colorScheme: "dark" });
    await choice.selectOption("light");
    await expect.poll(paper).toBe(light);
    await choice.selectOption("system");
    await expect.poll(paper).toBe(dark);
  });

  test("can be saved as the browser shows it: a copy has everything once, and all of it works", async () => {
    const { page } = await open(renderHtml(SAMPLE));
    await page.getByLabel("Colours").selectOption("dark");
    const parts = "#color-scheme|.chart-toolbar|.chart-toolbar button|canvas".split("|");
    const counts = async (one: Page): Promise<readonly number[]> =>
      Promise.all(parts.map((selector) => one.locator(selector).count()));
    const { page: copy, requests } = await open(await page.content(), { colorScheme: "light" });
    expect(await counts(copy)).toEqual(await counts(page));
    const theme = (): Promise<string | undefined> => copy.evaluate("document.documentElement.dataset.theme");
    await copy.getByLabel("Colours").selectOption("dark");
    expect(await theme()).toBe("dark");
    await copy.getByLabel("Colours").selectOption("system");
    expect(await theme()).toBeUndefined();
    const scale = copy.locator(".chart-toolbar button[aria-pressed]").first();
    const before = await scale.getAttribute("aria-pressed");
    await scale.click();
    expect(await scale.getAttribute("aria-pressed")).toBe(String(before !== "true"));
    const head = copy.locator('[data-part="results"] table.sortable th').nth(1);
    await head.getByRole("button").click();
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    expect(requests).toEqual([]);
  });

  test("works where nothing can be kept", async () => {
    const { page, problems } = await open(renderHtml(SAMPLE));
    await page.addInitScript("Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused') } })");
    await page.reload();
    await page.getByLabel("Colours").selectOption("dark");
    expect(await page.evaluate<string>("document.documentElement.dataset.theme")).toBe("dark");
    expect(problems).toEqual([]);
  });

  test("shows words from outside as they are, and executes none of them", async () => {
    const { page, problems, requests } = await open(renderHtml(aHostileResult()));
    const shown = await page.locator("main").innerText();
    for (const words of HOSTILE) expect(shown).toContain(words);
    await page.evaluate(USE_EVERYTHING);
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await page.locator("main :is(img, svg, script:not([type='application/json']))").count()).toBe(0);
    expect([problems, requests]).toEqual([[], []]);
  });
});
