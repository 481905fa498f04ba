import { findBalancerRefusals, findNotReused } from "./balancers.js";
import { findSaturation } from "./bottleneck.js";
import { findKeepAliveRefused, findLevelNotReached, findMissingUsers } from "./concurrency.js";
import { findFastFailures } from "./fast-failures.js";
import { findFaults } from "./fault-response.js";
import { findDrift, findNotWarm, findStalls, findTooShort } from "./over-time.js";
import { findLostConnections } from "./held.js";
import { findDescriptorLimit, findExhaustedPorts } from "./pressure.js";
import { findFailedClasses, findFailure, findLostRequests, findNothingOk, findProgramFigures } from "./requests.js";
import type { StepRule } from "./found.js";

/**
 * Every rule, the gravest causes first, and where it says nothing: with `faults`, which may be the reason; where connections are held
 * (`hold`), which idle between their requests.
 */
const RULES: readonly (readonly [rule: StepRule, ...notWith: ("faults" | "hold")[]])[] = [
  [findFailure],
  [findFaults],
  [findLostRequests],
  [findNothingOk],
  [findFailedClasses],
  [findProgramFigures],
  // A backend that was killed has forgotten what it counted, and a balancer without backends has to answer itself.
  [findBalancerRefusals, "faults"],
  [findFastFailures, "faults"],
  [findExhaustedPorts],
  [findDescriptorLimit],
  [findMissingUsers, "faults", "hold"],
  [findLevelNotReached],
  [findKeepAliveRefused, "faults", "hold"],
  [findLostConnections],
  [findNotReused],
  [findTooShort, "hold"],
  [findSaturation],
  [findNotWarm],
  [findDrift, "faults", "hold"],
  [findStalls, "faults"],
];

/**
 * Returns everything that is noticed in a single step, the gravest causes first; each is described in docs/findings.md. Where
 * scenario or environment are not told, there is nothing that would rest on them.
 */
export const judgeStep: StepRule = (step, scenario, environment) => {
  const has = { faults: step.faults !== undefined, hold: scenario.hold !== undefined };
  return RULES.flatMap(([rule, ...notWith]) =>
    notWith.some((one) => has[one]) ? [] : rule(step, scenario, environment),
  );
};
