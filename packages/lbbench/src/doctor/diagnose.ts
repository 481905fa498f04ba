import { messageOf } from "../system/program.js";
import type { Diagnosis, WorkersToCheck } from "./diagnosis.js";

/** How a machine is looked at. */
export interface DiagnoseOptions {
  /** Leaves out the calibration, which keeps two cores busy for two seconds. */
  readonly quick?: boolean;
  /** Workers that are to be used: what they need is missed then, and hosts are asked by ssh. */
  readonly workers?: WorkersToCheck;
  /** Stops everything that was started; `diagnose` then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Hears what is done next, in a few words. */
  readonly onPhase?: (phase: string) => void;
}

/** Looks at this machine and says what it can and cannot measure, and what to do about that. Leaves nothing behind. */
export async function diagnose({ quick = false, workers, signal, onPhase }: DiagnoseOptions = {}): Promise<Diagnosis> {
  const until = signal ?? new AbortController().signal;
  // Who looks at no machine has no use for this code.
  const [{ readMachine }, { judgeReadings }] = await Promise.all([import("./read-machine.js"), import("./checks.js")]);
  onPhase?.("looking at the machine");
  const machine = await readMachine(until, workers);
  until.throwIfAborted();
  if (quick) return judgeReadings(machine);
  onPhase?.("measuring what the load generator can do");
  const calibrating = import("./calibrate.js").then(({ calibrate }) => calibrate(until));
  const calibration = await calibrating.catch((error: unknown) => {
    until.throwIfAborted();
    return { failure: messageOf(error) };
  });
  return judgeReadings({ ...machine, calibration });
}
