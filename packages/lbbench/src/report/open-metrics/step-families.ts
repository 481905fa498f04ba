import type { StepResult } from "../../model/result.js";
import { knownDigits, knownSeconds } from "../known-digits.js";
import type { Family, Sample } from "./family.js";
import { LATENCY_FAMILIES } from "./latency-families.js";
import { PART_FAMILIES } from "./part-families.js";
import { REQUEST_FAMILIES } from "./request-families.js";
import type { StepFamily } from "./step-family.js";
import { STEP_LABELS, stepLabels } from "./step-labels.js";
import { USAGE_FAMILIES } from "./usage-families.js";

const STATES: readonly StepResult["state"][] = ["completed", "failed", "aborted"];

const FAMILIES: readonly StepFamily[] = [
  {
    name: "lbbench_step_state",
    type: "gauge",
    help: "1 for the state that the step is in, 0 for the others.",
    labels: ["state"],
    of: (step) => STATES.map((state) => [{ state }, step.state === state ? 1 : 0]),
  },
  ...REQUEST_FAMILIES,
  ...LATENCY_FAMILIES,
  ...PART_FAMILIES,
  ...USAGE_FAMILIES,
  {
    name: "lbbench_step_findings",
    type: "gauge",
    help: "Findings of the step by code and severity.",
    labels: ["code", "severity"],
    of: ({ findings }) => findings.map(({ code, severity }) => [{ code, severity }, 1]),
  },
];

/** Returns the families with figures of steps: times to the microsecond, others with six significant digits, counts exactly. */
export function stepFamilies(steps: readonly StepResult[]): readonly Family[] {
  return FAMILIES.map(({ name, type, help, labels = [], of }) => ({
    name,
    type,
    help,
    labels: [...STEP_LABELS, ...labels],
    samples: steps.flatMap((step) =>
      of(step).flatMap(([own, value]): readonly Sample[] =>
        typeof value === "number" && Number.isFinite(value)
          ? [{ labels: { ...stepLabels(step), ...own }, value: roundAs(name, value) }]
          : [],
      ),
    ),
  }));
}

function roundAs(name: string, value: number): number {
  return name.endsWith("_seconds") ? knownSeconds(value) : knownDigits(value);
}
