import type { Result } from "../model/result.js";
import type { RenderOptions, ReportFile } from "../plugin.js";
import type { ReportModel } from "./report-model.js";

/** A reporter that comes with lbbench; those that render one model compute what they share once. */
export interface ModelReporter {
  readonly format: string;
  readonly render: (
    source: Result | ReportModel,
    options: RenderOptions,
  ) => readonly ReportFile[] | Promise<readonly ReportFile[]>;
}
