import type { Measurement } from "../../model/measurement.js";

/** What a program tells of a run; the rest of the measurement is known without it. */
export type ProgramFigures = Pick<
  Measurement,
  | "elapsedMs"
  | "requests"
  | "statusCodes"
  | "errorCodes"
  | "bytes"
  | "latency"
  | "failedLatency"
  | "histogram"
  | "phases"
  | "doubts"
>;
