import { createLatencyRecorder } from "./latency-recorder.js";
import type { PhasesRecord } from "./record.js";

/** Takes the phases of requests one by one, in microseconds. */
export interface PhasesRecorder {
  readonly add: (connectUs: number, processingUs: number, waitingUs: number) => void;
  readonly finish: () => PhasesRecord;
}

/** A histogram for each phase, and one for all of the request. */
export function createPhasesRecorder(): PhasesRecorder {
  const connect = createLatencyRecorder();
  const processing = createLatencyRecorder();
  const waiting = createLatencyRecorder();
  const total = createLatencyRecorder();
  return {
    add: (connectUs, processingUs, waitingUs) => {
      connect.add(connectUs);
      processing.add(processingUs);
      waiting.add(waitingUs);
      total.add(connectUs + processingUs);
    },
    finish: () => ({
      connect: connect.finish(),
      processing: processing.finish(),
      waiting: waiting.finish(),
      total: total.finish(),
    }),
  };
}
