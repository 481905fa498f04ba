import type { Result } from "../../model/result.js";
import type { Usage } from "../../model/usage.js";
import { cpuOf, loopOf, ROLES } from "../role-usage.js";
import type { ChartDefinition } from "./chart-definition.js";
import { roleChart } from "./role-chart.js";

/** From this difference on a loop tells something that processor time does not: of 1, which is one core or all of the time. */
const TELLING_DIFFERENCE = 0.15;

/**
 * Returns how busy the busiest event loop of each role was per level, a panel per target; none where it is the same as processor
 * time. It is more than that in a process that waits for a core, and less than that of many processes together.
 */
export function eventLoopChart(result: Result): readonly ChartDefinition[] {
  const isTelling = result.steps.some(({ usage }) => usage !== undefined && differsFromCpu(usage));
  if (!isTelling) return [];
  return roleChart(result, {
    id: "event-loop",
    title: "Event loop by role",
    about: "busiest of a role; 100 %: never idle",
    alt: "Share of the time in which the busiest event loop of a role did not wait, in percent.",
    label: "event loop (% of time)",
    value: (usage, role) => {
      const loop = loopOf(usage, role);
      return loop === null ? null : loop * 100;
    },
  });
}

function differsFromCpu(usage: Usage): boolean {
  return ROLES.some(({ role }) => {
    const [cpu, loop] = [cpuOf(usage, role), loopOf(usage, role)];
    return cpu !== null && loop !== null && Math.abs(cpu - loop) >= TELLING_DIFFERENCE;
  });
}
