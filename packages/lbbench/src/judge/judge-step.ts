import type { Finding } from "../model/finding.js";
import type { Environment } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { findBalancerRefusals, findNotReused } from "./balancers.js";
import { findSaturation } from "./bottleneck.js";
import { findKeepAliveRefused, findLevelNotReached, findMissingUsers } from "./concurrency.js";
import { findFastFailures } from "./fast-failures.js";
import { findFaults } from "./fault-response.js";
import { findDrift, findNotWarm, findStalls, findTooShort } from "./over-time.js";
import { findLostConnections } from "./held.js";
import { findDescriptorLimit, findExhaustedPorts } from "./pressure.js";
import { findFailedClasses, findFailure, findLostRequests, findNothingOk, findProgramFigures } from "./requests.js";
import type { StepRule, UnjudgedStep } from "./found.js";

/** What a load that nothing disturbs does not do, and what says nothing where a fault is the reason. */
const UNDISTURBED: ReadonlySet<StepRule> = new Set([
  findFastFailures,
  // A backend that was killed has forgotten what it counted, and a balancer without backends has to answer itself.
  findBalancerRefusals,
  findMissingUsers,
  findKeepAliveRefused,
  findDrift,
  findStalls,
]);

/** What says nothing of connections that idle between their requests. */
const OF_BUSY: ReadonlySet<StepRule> = new Set([findMissingUsers, findKeepAliveRefused, findTooShort, findDrift]);

const RULES: readonly StepRule[] = [
  findFailure,
  findFaults,
  findLostRequests,
  findNothingOk,
  findFailedClasses,
  findProgramFigures,
  findBalancerRefusals,
  findFastFailures,
  findExhaustedPorts,
  findDescriptorLimit,
  findMissingUsers,
  findLevelNotReached,
  findKeepAliveRefused,
  findLostConnections,
  findNotReused,
  findTooShort,
  findSaturation,
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
  const disturbed = step.faults === undefined ? RULES : RULES.filter((rule) => !UNDISTURBED.has(rule));
  const rules = scenario.hold === undefined ? disturbed : disturbed.filter((rule) => !OF_BUSY.has(rule));
  return rules.flatMap((rule) => rule(step, scenario, environment));
}
