import type { Reporter } from "../plugin.js";
import type { ModelReporter } from "./report-model.js";

/** Writes `report.html`: one document with everything in it, that opens from disk and asks no network. */
export const htmlReporter: ModelReporter = {
  format: "html",
  render: async (source) => {
    // Page and script are a few hundred kilobytes of text, which no other format needs.
    const { renderHtml } = await import("./html/page.js");
    return [{ name: "report.html", content: renderHtml(source) }];
  },
};

/** Writes `result.json`: the whole result, indented by two spaces, with a line break at its end. */
export const jsonReporter: Reporter = {
  format: "json",
  render: (result) => [{ name: "result.json", content: `${JSON.stringify(result, null, 2)}\n` }],
};

type Render = ModelReporter["render"];

/** How each renders. Its code is loaded by then: most runs use few of them, and a command that uses none is not to wait for any. */
const RENDER = {
  md: ofModel(async () => (await import("./markdown.js")).markdownReporter),
  html: htmlReporter.render,
  png: ofModel(async () => (await import("./png.js")).pngReporter),
  json: ofResult(async () => jsonReporter),
  csv: ofResult(async () => (await import("./csv.js")).csvReporter),
  ab: ofResult(async () => (await import("./ab.js")).abReporter),
  junit: ofModel(async () => (await import("./junit.js")).junitReporter),
  "github-action-benchmark": ofResult(async () => (await import("./benchmarks.js")).githubBenchmarkReporter),
  bencher: ofResult(async () => (await import("./benchmarks.js")).bencherReporter),
} satisfies Record<string, Render>;

function ofModel(load: () => Promise<ModelReporter>): Render {
  return async (source, options) => (await load()).render(source, options);
}

/** Of a reporter that renders the result as it is stored. */
function ofResult(load: () => Promise<Reporter>): Render {
  return async (source, options) => (await load()).render("stored" in source ? source.stored : source, options);
}

/** The reporters that come with lbbench, by the name of their format. */
export const REPORTERS: ReadonlyMap<string, ModelReporter> = new Map(
  Object.entries(RENDER).map(([format, render]) => [format, { format, render }]),
);
