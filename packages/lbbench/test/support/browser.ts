import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import axe, { type AxeResults } from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

/** Opens a page with what is given: the text of a document, or an address. */
type Open = (what: string, options?: BrowserContextOptions) => ReturnType<typeof visitPage>;

/**
 * Describes what a page does in a real browser; one is started for all tests of the description. `open` opens a document from disk, without
 * a network, `visit` an address.
 */
export function describeInBrowser(name: string, body: (open: Open, visit: Open) => void): void {
  describe.runIf(needs("chromium"))(`${name}, in Chromium`, () => {
    let browser: Browser | undefined;
    const started = (): Browser => {
      if (browser === undefined) throw new Error("there is no browser to open a page in");
      return browser;
    };
    beforeAll(async () => {
      // The sandbox of Chromium refuses to be started by root, who containers are often run by.
      const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
      browser = await chromium.launch({ executablePath: findChromium(), args });
    });
    afterAll(() => browser?.close());
    const open: Open = (html, options) => {
      const file = join(temporaryFolder({ "report.html": html }), "report.html");
      return visitPage(started(), pathToFileURL(file).href, { offline: true, ...options });
    };
    body(open, (address, options) => visitPage(started(), address, options));
  });
}

/** Resolves with the page, and what went wrong in it. */
async function visitPage(browser: Browser, address: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  onTestFinished(() => context.close());
  /** Errors and warnings on the console, and errors that were not caught. */
  const problems: string[] = [];
  /** All that the page asked for besides itself; content that it made itself (`blob:`) is no request. */
  const requests: string[] = [];
  context.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("blob:")) requests.push(request.url());
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  await page.goto(address);
  return { page, problems, requests };
}

/** Lets axe-core look at what a selector names: what keeps people out, and what does not. */
export async function runAxe(page: Page, selector = "html"): Promise<AxeResults> {
  await page.evaluate(axe.source);
  return page.evaluate<AxeResults>(`axe.run(${JSON.stringify(selector)})`);
}

function findChromium(): string {
  const files = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "chromium"));
  return files.find((file) => existsSync(file)) ?? "chromium";
}
