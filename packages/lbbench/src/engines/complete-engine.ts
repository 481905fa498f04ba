import type { CompleteMeasurement } from "../model/measurement.js";
import type { Engine, EngineContext, EngineRun, Load } from "../plugin.js";

/** What came of a load of which everything was seen. */
export interface CompleteRun extends EngineRun {
  readonly measurement: CompleteMeasurement;
}

/** An engine that generates the load itself, and tells all of it. */
export interface CompleteEngine extends Engine {
  readonly run: (load: Load, context: EngineContext) => Promise<CompleteRun>;
}
