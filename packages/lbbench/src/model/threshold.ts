import type * as stored from "./result-schema.js";

export type { ThresholdMetric } from "./result-schema.js";

/** A condition every step has to meet, as the user wrote it and as it is evaluated. */
export interface Threshold extends stored.Of<typeof stored.threshold> {}
