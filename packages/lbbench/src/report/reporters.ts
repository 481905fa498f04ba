import type { Reporter } from "../plugin.js";

/** Writes `report.html`: one document with everything in it, that opens from disk and asks no network. */
export const htmlReporter: Reporter = {
  format: "html",
  render: async (result) => {
    // Page and script are a few hundred kilobytes of text, which no other format needs.
    const { renderHtml } = await import("./html/page.js");
    return [{ name: "report.html", content: renderHtml(result) }];
  },
};

/** Writes `result.json`: the whole result, indented by two spaces, with a line break at its end. */
export const jsonReporter: Reporter = {
  format: "json",
  render: (result) => [{ name: "result.json", content: `${JSON.stringify(result, null, 2)}\n` }],
};

/** How the code of each is loaded: most runs use few of them, and a command that uses none is not to wait for any. */
const LOADERS = {
  md: async () => (await import("./markdown.js")).markdownReporter,
  html: async () => htmlReporter,
  png: async () => (await import("./png.js")).pngReporter,
  json: async () => jsonReporter,
  csv: async () => (await import("./csv.js")).csvReporter,
  ab: async () => (await import("./ab.js")).abReporter,
  junit: async () => (await import("./junit.js")).junitReporter,
  openmetrics: async () => (await import("./open-metrics.js")).openMetricsReporter,
  "github-action-benchmark": async () => (await import("./benchmarks.js")).githubBenchmarkReporter,
  bencher: async () => (await import("./benchmarks.js")).bencherReporter,
} satisfies Record<string, () => Promise<Reporter>>;

/** The reporters that come with lbbench, by the name of their format. Their code is loaded when they first render. */
export const REPORTERS: ReadonlyMap<string, Reporter> = new Map(
  Object.entries(LOADERS).map(([format, load]) => [
    format,
    { format, render: async (result, options) => (await load()).render(result, options) } satisfies Reporter,
  ]),
);
