import type { Result } from "../model/result.js";
import type { ReportFile } from "../plugin.js";
import type { ModelReporter, ReportModel } from "./report-model.js";

/** Returns the file `result.json`: the whole result, indented by two spaces, with a line break at its end. */
export function renderJson(result: Result): readonly ReportFile[] {
  return [{ name: "result.json", content: `${JSON.stringify(result, null, 2)}\n` }];
}

/** How each renders. Its code is loaded by then: most runs use few of them, and a command that uses none is not to wait for any. */
const RENDER = {
  md: async (source, options) => {
    const { renderMarkdown } = await import("./markdown.js");
    return [{ name: "report.md", content: renderMarkdown(source, options) }];
  },
  // One document with everything in it, that opens from disk and asks no network.
  html: async (source) => {
    const { renderHtml } = await import("./html/page.js");
    return [{ name: "report.html", content: renderHtml(source) }];
  },
  png: async (source) => (await import("./png.js")).renderPng(source),
  json: (source) => renderJson(storedOf(source)),
  csv: async (source) => (await import("./csv.js")).renderCsv(await hiddenOf(source)),
  ab: async (source) => (await import("./ab.js")).renderAb(await hiddenOf(source)),
  junit: async (source) => (await import("./junit.js")).renderJunit(source),
  "github-action-benchmark": async (source) => (await import("./benchmarks.js")).renderGithub(await hiddenOf(source)),
  bencher: async (source) => (await import("./benchmarks.js")).renderBencher(await hiddenOf(source)),
} satisfies Record<string, ModelReporter["render"]>;

/** The result as it is stored, which repeats the run. */
function storedOf(source: Result | ReportModel): Result {
  return "stored" in source ? source.stored : source;
}

async function hiddenOf(source: Result | ReportModel): Promise<Result> {
  const { modelOf } = await import("./report-model.js");
  return modelOf(source).hidden;
}

/** The reporters that come with lbbench, by the name of their format. */
export const REPORTERS: ReadonlyMap<string, ModelReporter> = new Map(
  Object.entries(RENDER).map(([format, render]) => [format, { format, render }]),
);
