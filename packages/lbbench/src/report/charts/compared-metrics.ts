import { METRIC_WORDS } from "../compare-words.js";

/** Metrics that change in percent; of failed requests it would be in percent of often nothing. */
export const COMPARED_METRICS = METRIC_WORDS.flatMap(({ key }) => (key === "errors" ? [] : [key]));

/** One of {@link COMPARED_METRICS}. */
export type ComparedMetric = (typeof COMPARED_METRICS)[number];
