import { checkCalibration } from "./check-calibration.js";
import { checkLimits } from "./check-limits.js";
import { checkProcessors } from "./check-processors.js";
import { checkSoftware } from "./check-software.js";
import { checkTiming } from "./check-timing.js";
import { checkTools } from "./check-tools.js";
import type { CheckStatus, Diagnosis } from "./diagnosis.js";
import type { Readings } from "./readings.js";

/** Judges what was read of a machine. Pure. */
export function judgeReadings(readings: Readings): Diagnosis {
  const checks = [
    ...checkSoftware(readings),
    ...checkProcessors(readings),
    ...checkTiming(readings),
    ...checkLimits(readings),
    ...checkTools(readings),
    ...checkCalibration(readings),
  ];
  const has = (status: CheckStatus): boolean => checks.some((check) => check.status === status);
  return { status: has("problem") ? "problem" : has("warning") ? "warning" : "ok", checks, readings };
}
