import { MINIMUM_WINDOW_MS } from "../judge/bottleneck.js";
import type { ProcessUsage, Role, Usage } from "../model/usage.js";

/** The parts processes play, in the order in which reports list them. */
export const ROLES: readonly { readonly role: Role; readonly label: string }[] = [
  { role: "generator", label: "generator" },
  { role: "balancer", label: "balancer" },
  { role: "backend", label: "backends" },
];

/** Returns the processes of a role; none where there are none, or none that can be seen. */
export function processesOf(usage: Usage, role: Role): readonly ProcessUsage[] {
  switch (role) {
    case "generator":
      return usage.generator;
    case "balancer":
      return usage.balancer ?? [];
    case "backend":
      return usage.backends ?? [];
  }
}

/**
 * Adds up the processor time of a role: 1 is one core kept busy; `null` when it has no process that can be seen, and of a window so
 * short that a tick of the clock it is counted by makes over 5 %.
 */
export function cpuOf(usage: Usage, role: Role): number | null {
  const processes = processesOf(usage, role);
  return processes.length === 0 || isTooShort(usage) ? null : processes.reduce((sum, { cpu }) => sum + cpu, 0);
}

/** What is said where {@link cpuOf} has no figure for want of time. */
export const CPU_OF_SHORT_STEPS = `of a step under ${MINIMUM_WINDOW_MS} ms it is not known, as the system counts it in ticks of 10 ms`;

/** Whether usage is of so short a time that processor time, which is counted in ticks of about 10 ms, means nothing. */
export function isTooShort({ windowMs }: Usage): boolean {
  return windowMs < MINIMUM_WINDOW_MS;
}

/** Adds up the largest memory of the processes of a role, in bytes; `null` when it has none that can be seen. */
export function memoryOf(usage: Usage, role: Role): number | null {
  const processes = processesOf(usage, role);
  return processes.length === 0 ? null : processes.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
}

/** The utilisation of the busiest event loop of a role, 0 to 1; `null` when none of its processes can tell. */
export function loopOf(usage: Usage, role: Role): number | null {
  const loops = processesOf(usage, role).flatMap(({ eventLoopUtilization }) => eventLoopUtilization ?? []);
  return loops.length === 0 ? null : Math.max(...loops);
}
