/** Public API of lbbench: everything by name, nothing prints, nothing exits the process. */
export { parseSweepInput } from "./api/parse-sweep-input.js";
export { renderReport, type RenderedReport } from "./api/render-report.js";
export { defaultReportFolder, sweep, sweepParsed, type SweepOptions, type SweepOutcome } from "./api/sweep.js";
export { TOOL } from "./api/tool.js";
export { ConfigError } from "./config/config-error.js";
export { DEFAULTS } from "./config/defaults.js";
export { loadConfigFile, type ConfigFile } from "./config/load-config-file.js";
export type { ParsedSweepInput, SweepInput } from "./config/sweep-input.js";
export { compareTargets } from "./judge/compare-targets.js";
export type * from "./plugin.js";
export { describeFinding } from "./report/finding-text.js";
export { renderStepLine } from "./report/step-line.js";
export { renderSummary } from "./report/summary-table.js";
export type { StepPhase, SweepEvent, SweepListener } from "./run/sweep-event.js";
export { StartError } from "./servers/start-error.js";
export { OutputError } from "./store/output-error.js";
export { readResult, type StoredResult } from "./store/read-result.js";
export { openReportFolder, type ReportFolder } from "./store/report-folder.js";
