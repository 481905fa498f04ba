import type { Check } from "./diagnosis.js";
import type { Readings } from "./readings.js";

/** A generator, a balancer and a backend, each with a core of its own, and one for everything else. */
const ENOUGH_CORES = 4;
/** Share of the cores that others may keep busy. */
const QUIET_LOAD = 0.25;
const MOST_STEAL = 0.01;
const LEAST_MEMORY_BYTES = 512 * 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
/** They change the clock with the load, or keep it low. */
const SLOW_GOVERNORS = new Set(["powersave", "conservative", "ondemand"]);

/** Cores, what else runs on them, their clock, and memory. */
export function checkProcessors(readings: Readings): readonly Check[] {
  return [
    checkCores(readings),
    checkLoad(readings),
    checkSteal(readings),
    checkGovernor(readings),
    checkMemory(readings),
  ];
}

/** Cores that can be used at a time, whatever it is that limits them. */
export function usableCores({ cores: { present, allowed, quota } }: Pick<Readings, "cores">): number {
  return Math.min(present, allowed ?? present, quota ?? present);
}

function checkCores({ cores }: Readings): Check {
  const { model, present, allowed, quota } = cores;
  const usable = usableCores({ cores });
  const base = { id: "cores", title: "Cores" };
  if (usable < present) {
    const why = quota !== null && quota === usable ? "by its control group" : `by its affinity (${allowed} allowed)`;
    return {
      ...base,
      status: usable < 2 ? "problem" : "warning",
      found: `${formatCores(usable)} of ${present} may be used, limited ${why} (${model})`,
      remedy: "Give the container or the shell more cores; a process that is throttled answers in bursts.",
    };
  }
  const found = `${formatCores(usable)} (${model})`;
  if (usable >= ENOUGH_CORES) return { ...base, status: "ok", found };
  return usable >= 2
    ? {
        ...base,
        status: "warning",
        found,
        remedy:
          "Generator, balancer and backends share the cores. Compare targets with each other only, or load a target on another machine.",
      }
    : {
        ...base,
        status: "problem",
        found,
        remedy: "Generator and target take turns on one core, so no throughput is the target's. Use two cores or more.",
      };
}

function formatCores(count: number): string {
  return `${Number(count.toFixed(1))}`;
}

function checkLoad(readings: Readings): Check {
  const { loadAverage } = readings;
  const cores = usableCores(readings);
  const base = { id: "load", title: "Load now", found: `${loadAverage.toFixed(2)} on average over the last minute` };
  return loadAverage <= cores * QUIET_LOAD
    ? { ...base, status: "ok" }
    : {
        ...base,
        status: "warning",
        remedy: "Something else is running. Close it, or wait a minute, before you measure.",
      };
}

function checkSteal({ steal }: Readings): Check {
  const base = { id: "steal", title: "Stolen time" };
  if (steal === null) return { ...base, status: "ok", found: "unknown: the system does not tell" };
  const found = `${(steal * 100).toFixed(1)} % of a second`;
  return steal <= MOST_STEAL
    ? { ...base, status: "ok", found }
    : {
        ...base,
        status: "warning",
        found,
        remedy:
          "The hypervisor gives this machine's cores to others, when it likes. Use more --trials, or dedicated cores.",
      };
}

function checkGovernor({ governor }: Readings): Check {
  const base = { id: "cpu-frequency", title: "CPU frequency" };
  if (governor === null) return { ...base, status: "ok", found: "unknown: not told here, as in most virtual machines" };
  return SLOW_GOVERNORS.has(governor)
    ? {
        ...base,
        status: "warning",
        found: `governor "${governor}"`,
        remedy:
          "The clock follows the load, so light load looks slower than it is:\nsudo cpupower frequency-set -g performance",
      }
    : { ...base, status: "ok", found: `governor "${governor}"` };
}

function checkMemory({ memory: { totalBytes, availableBytes } }: Readings): Check {
  const found = `${(availableBytes / GIBIBYTE).toFixed(1)} GiB available of ${(totalBytes / GIBIBYTE).toFixed(1)} GiB`;
  const base = { id: "memory", title: "Memory", found };
  return availableBytes >= LEAST_MEMORY_BYTES
    ? { ...base, status: "ok" }
    : { ...base, status: "warning", remedy: "A machine that swaps measures its disk. Close other programs." };
}
