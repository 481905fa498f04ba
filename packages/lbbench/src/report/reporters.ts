import type { Reporter } from "../plugin.js";

/** How the code of each is loaded: most runs use few of them, and a command that uses none is not to wait for any. */
const LOADERS = {
  md: async () => (await import("./markdown.js")).markdownReporter,
  html: async () => (await import("./html.js")).htmlReporter,
  png: async () => (await import("./png.js")).pngReporter,
  json: async () => (await import("./json.js")).jsonReporter,
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
