import type { DoneFault } from "../model/fault.js";
import type { Finding } from "../model/finding.js";
import type { Environment, Result, StepKey, StepResult } from "../model/result.js";
import type { Scenario, Workers } from "../model/scenario.js";
import type { LiveUsage } from "../model/usage.js";
import type { LoadProgress } from "../plugin.js";

/** What is being done for a step. A target that lives on is neither started nor stopped in it. */
export type StepPhase = "starting" | "warming up" | "measuring" | "stopping";

/** Progress of a sweep, in the order in which it happens. */
export type SweepEvent =
  /** Once, before any target is touched. `total` is the number of steps; of a search the most that there can be. */
  | {
      readonly type: "start";
      readonly scenario: Scenario;
      readonly environment: Environment;
      readonly total: number;
    }
  /** The number of steps is not what it was: told after a step that made it another. */
  | { readonly type: "plan"; readonly total: number }
  /**
   * Before any target is touched, where workers generate the load: their master listens, and they are waited for. They have to know the token;
   * it is absent where it came from the environment variable LBBENCH_TOKEN.
   */
  | {
      readonly type: "workers";
      readonly workers: Workers;
      readonly host: string;
      readonly port: number;
      readonly token?: string;
    }
  /** Something at the master's port does not know the token, and was sent away. */
  | { readonly type: "worker-refused"; readonly worker: string }
  /** A target is started, to see that it can be. */
  | { readonly type: "check"; readonly target: string }
  /** A step begins; `index` counts from 0. */
  | { readonly type: "step"; readonly step: StepKey; readonly index: number }
  | { readonly type: "phase"; readonly step: StepKey; readonly phase: StepPhase }
  /** About four times a second while load is measured; `share` of the step that is done, 0 to 1. */
  | ({
      readonly type: "progress";
      readonly step: StepKey;
      readonly share: number;
    } & LoadProgress)
  /** About once a second while load is measured: what the processes of each role used since the last time. */
  | { readonly type: "usage"; readonly step: StepKey; readonly usage: LiveUsage }
  /** While load is measured: a fault was done, or could not be. Its times are from about the start of the measurement. */
  | { readonly type: "fault"; readonly step: StepKey; readonly fault: DoneFault }
  /** Before the load of a step: what it may run out of. */
  | { readonly type: "warning"; readonly step: StepKey; readonly finding: Finding }
  | { readonly type: "step-done"; readonly step: StepResult; readonly index: number }
  /** At the start and whenever it was kept, which is after every step but of very many: what was measured so far; `finishedAt` is `null`. */
  | { readonly type: "partial"; readonly result: Result }
  /** Once, at the end, also of an interrupted sweep. */
  | { readonly type: "done"; readonly result: Result };

/** Hears of the progress of a sweep; what it throws is thrown by the sweep. */
export type SweepListener = (event: SweepEvent) => void;
