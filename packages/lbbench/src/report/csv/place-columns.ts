import type { StepResult } from "../../model/result.js";
import { loadOf } from "../../stats/load.js";
import type { Column } from "./column.js";

/** Which step a row is about: the same columns in every file, to join them by. */
export const PLACE_COLUMNS: readonly Column<StepResult>[] = [
  { name: "target", of: ({ target }) => target },
  { name: "load", of: ({ level }) => loadOf(level).kind },
  { name: "level", of: ({ level }) => loadOf(level).value },
  { name: "planned_requests", of: ({ level }) => level.requests },
  { name: "planned_duration_ms", of: ({ level }) => level.durationMs },
  { name: "trial", of: ({ trial }) => trial },
];
