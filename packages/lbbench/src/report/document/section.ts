import type { Result } from "../../model/result.js";
import type { ReportSection } from "./block.js";

/** Makes a part of the report; `null` when it has nothing to say. */
export type Section = (result: Result) => ReportSection | null;
