import type { Role, Usage } from "../../model/usage.js";
import { cpuOf, loopOf, memoryOf, ROLES } from "../role-usage.js";
import type { StepFamily } from "./step-family.js";

/** How busy processes and machine were. */
export const USAGE_FAMILIES: readonly StepFamily[] = [
  {
    name: "lbbench_cpu_cores",
    type: "gauge",
    help: "Processor time over wall time of all processes of a role; 1 is one core kept busy.",
    labels: ["role"],
    of: byRole(cpuOf),
  },
  {
    name: "lbbench_memory_bytes",
    type: "gauge",
    help: "Largest resident memory seen, added up over the processes of a role.",
    labels: ["role"],
    of: byRole(memoryOf),
  },
  {
    name: "lbbench_event_loop_busy_ratio",
    type: "gauge",
    help: "Part of the time in which the busiest event loop of a role did not wait, 0 to 1.",
    labels: ["role"],
    of: byRole(loopOf),
  },
  {
    name: "lbbench_machine_busy_ratio",
    type: "gauge",
    help: "Busy part of all cores of the machine, 0 to 1.",
    of: ({ usage }) => [[{}, usage?.machine]],
  },
  {
    name: "lbbench_bottleneck",
    type: "gauge",
    help: "1 for what limited the throughput.",
    labels: ["bottleneck"],
    of: ({ usage }) => (usage === undefined ? [] : [[{ bottleneck: usage.bottleneck }, 1]]),
  },
];

function byRole(figure: (usage: Usage, role: Role) => number | null): StepFamily["of"] {
  return ({ usage }) => (usage === undefined ? [] : ROLES.map(({ role }) => [{ role }, figure(usage, role)]));
}
