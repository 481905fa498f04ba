import type { Finding } from "../model/finding.js";
import type { Environment } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { findLostRequests, findUncountedRequests } from "./accounting.js";
import { findKeepAliveRefused, findLevelNotReached } from "./connections.js";
import { findDoubtfulFigures } from "./doubtful-figures.js";
import { findTooShort } from "./duration.js";
import { findFigureNotTold } from "./figure-not-told.js";
import { findFastFailures } from "./fast-failures.js";
import { findFailedClasses, findNothingOk } from "./failures.js";
import { findLittlesLawBroken } from "./littles-law.js";
import { findDescriptorLimit, findExhaustedPorts } from "./operating-system.js";
import { findFailure, findInterruption } from "./outcome.js";
import { findDrift, findNotWarm, findStalls } from "./over-time.js";
import { findBusyHost, findSaturatedGenerator, findSaturatedMachine } from "./saturation.js";
import { findStarvedConnections } from "./starved-connections.js";
import type { StepRule, UnjudgedStep } from "./step-rule.js";

const RULES: readonly StepRule[] = [
  findFailure,
  findInterruption,
  findLostRequests,
  findUncountedRequests,
  findNothingOk,
  findFailedClasses,
  findFigureNotTold,
  findDoubtfulFigures,
  findFastFailures,
  findExhaustedPorts,
  findDescriptorLimit,
  findLittlesLawBroken,
  findLevelNotReached,
  findStarvedConnections,
  findKeepAliveRefused,
  findTooShort,
  findSaturatedGenerator,
  findSaturatedMachine,
  findBusyHost,
  findNotWarm,
  findDrift,
  findStalls,
];

/**
 * Returns everything that is noticed in a single step, the gravest causes first; each is described in docs/findings.md. Where
 * scenario or environment are not told, there is nothing that would rest on them.
 */
export function judgeStep(
  step: UnjudgedStep,
  scenario: ToldScenario,
  environment: Environment | null,
): readonly Finding[] {
  return RULES.flatMap((rule) => rule(step, scenario, environment));
}
