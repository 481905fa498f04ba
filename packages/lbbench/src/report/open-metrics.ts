import type { Reporter } from "../plugin.js";
import { runFamilies } from "./open-metrics/run-families.js";
import { stepFamilies } from "./open-metrics/step-families.js";
import { writeOpenMetrics } from "./open-metrics/write-open-metrics.js";

/** Writes `metrics.txt`: the figures of all steps as OpenMetrics, in seconds and bytes; docs/formats.md lists them. */
export const openMetricsReporter: Reporter = {
  format: "openmetrics",
  render: async (result) => [
    { name: "metrics.txt", content: await writeOpenMetrics([...runFamilies(result), ...stepFamilies(result.steps)]) },
  ],
};
