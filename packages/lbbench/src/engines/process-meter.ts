import { performance } from "node:perf_hooks";

/** What this process used since the meter was started. */
export interface OwnUsage {
  /** Processor time over wall time; 1 is one core kept busy. */
  readonly cpu: number;
  /** Largest resident memory seen, in bytes. */
  readonly rssBytes: number;
  /** 0 to 1. */
  readonly eventLoopUtilization: number;
}

const RSS_INTERVAL_MS = 250;

/** Watches the process it is called in, until it is read. */
export function startProcessMeter(): { readonly stop: () => OwnUsage } {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const loopBefore = performance.eventLoopUtilization();
  let rssBytes = 0;
  const look = (): void => {
    try {
      rssBytes = Math.max(rssBytes, process.memoryUsage.rss());
    } catch {
      // Reading it takes a descriptor, and there may be none left.
    }
  };
  look();
  const timer = setInterval(look, RSS_INTERVAL_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      const { user, system } = process.cpuUsage(cpuBefore);
      const elapsedMs = performance.now() - startMs;
      return {
        cpu: (user + system) / 1000 / elapsedMs,
        rssBytes,
        eventLoopUtilization: performance.eventLoopUtilization(loopBefore).utilization,
      };
    },
  };
}
