import { BACKEND_DEFAULTS } from "./defaults.js";
import type { RunningBackend } from "./running-backend.js";

/** What a server that runs in this process has of its own. */
export interface Here extends Pick<RunningBackend, "url" | "port"> {
  /** Requests received so far. */
  readonly requests: () => number;
  /** Ends it, letting requests in flight finish for so long, in ms; called once. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** A sample server that runs in this process, as its caller sees it. */
export function runningHere({ url, port, requests, stop }: Here): RunningBackend {
  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
    pids: [process.pid],
    requests: async () => requests(),
    // It cannot die without the caller, who runs in the same process.
    onDied: () => () => undefined,
    stop: ({ graceMs = BACKEND_DEFAULTS.stopGraceMs } = {}) => (stopped ??= stop(graceMs)),
  };
}
