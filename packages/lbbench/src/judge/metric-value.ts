import type { Measurement } from "../model/measurement.js";
import type { ThresholdMetric } from "../model/threshold.js";
import { errorShare } from "./error-share.js";

/**
 * Returns a metric of a measurement: ok responses per second, share of errors (0 to 1), or latency in ms. `null` when
 * there is nothing to take it from: no ok response for a latency, no finished request for the errors.
 */
export function metricValue(measurement: Measurement, metric: ThresholdMetric): number | null {
  switch (metric) {
    case "throughput":
      return measurement.throughput;
    case "errors":
      return errorShare(measurement.requests);
    default:
      return measurement.latency?.[metric] ?? null;
  }
}
