import { formatFault } from "../stats/faults.js";
import { faultResponses } from "./fault-response.js";
import { found } from "./found.js";
import type { StepRule } from "./found.js";

/**
 * What came of the faults of a step, one finding for each that harms: `FAULT_SURVIVED` {fault} where no request failed and it was
 * recovered from; `FAULT_LOST` {fault, count, sent, share, recoveryMs} where some did; `NOT_RECOVERED` {fault, lookedMs} where answers never came as before again;
 * `BACKEND_NOT_USED_AGAIN` {fault, process, lookedMs} where a backend was whole again and did not get its share of requests. `FAULT_NOT_APPLIED`
 * {fault, message} where one could not be done.
 */
export const findFaults: StepRule = (step, { policies }) => {
  const { faults = [], measurement } = step;
  const undone = faults.filter(({ effectMs }) => effectMs === null);
  // A comparison of policies tells what its faults cost by the deadline.
  const responses = policies === undefined ? faultResponses(step) : [];
  return [
    ...undone.flatMap((fault) =>
      found("FAULT_NOT_APPLIED", "error", { fault: formatFault(fault), message: fault.error ?? "no reason is known" }),
    ),
    ...responses.flatMap(({ fault, lost, recoveryMs, lookedMs, shareBackMs, shareLookedMs }) => {
      const named = { fault: formatFault(fault) };
      const { sent = 0 } = measurement?.requests ?? {};
      const isRecovered = typeof recoveryMs === "number";
      const recovery = isRecovered ? { recoveryMs } : {};
      return [
        // Without a recovery requests may be left that wait for an answer.
        ...(lost === 0 && isRecovered ? found("FAULT_SURVIVED", "info", named) : []),
        ...(lost > 0
          ? found("FAULT_LOST", "info", { ...named, count: lost, sent, share: lost / sent, ...recovery })
          : []),
        ...(recoveryMs === null ? found("NOT_RECOVERED", "warning", { ...named, lookedMs }) : []),
        ...(shareBackMs === null
          ? found("BACKEND_NOT_USED_AGAIN", "warning", { ...named, process: fault.part, lookedMs: shareLookedMs ?? 0 })
          : []),
      ];
    }),
  ];
};
