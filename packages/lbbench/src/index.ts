/** Public API of lbbench: everything by name, nothing prints, nothing exits the process. */
export { compare, type CompareOptions } from "./api/compare.js";
export { importOutput, type ImportOptions, type ImportOutcome, type ImportSource } from "./api/import-output.js";
export { renderReport, type RenderedReport, type RenderReportOptions } from "./api/render-report.js";
export { resume, type ResumeOptions } from "./api/resume.js";
export {
  comparePolicies,
  comparePoliciesParsed,
  defaultReportFolder,
  fitLevels,
  hold,
  holdParsed,
  injectFaults,
  injectFaultsParsed,
  mergeInput,
  parseSweepInput,
  ramp,
  rampParsed,
  search,
  searchParsed,
  sweep,
  sweepParsed,
  type FaultsInput,
  type HoldInput,
  type PoliciesInput,
  type RampInput,
  type SearchInput,
  type SweepOptions,
  type SweepOutcome,
} from "./api/sweep.js";
export { TOOL } from "./own-package.js";
export { ConfigError } from "./config/config-error.js";
export { DEFAULTS } from "./config/defaults.js";
export type { Setting } from "./config/field.js";
export {
  FORMAT_NAMES,
  NOT_IN_FAULTS,
  NOT_IN_HOLD,
  NOT_IN_POLICIES,
  NOT_IN_RAMP,
  NOT_IN_SEARCH,
  NOT_IN_SWEEP,
  SETTINGS,
} from "./config/settings.js";
export { loadConfigFile, type ConfigFile } from "./config/modules.js";
export { parseDuration, parseMargin } from "./config/parsers.js";
export type { InputSources } from "./config/merge-sources.js";
export type { ParsedSweepInput } from "./config/schema.js";
export type { SweepInput } from "./config/sweep-input.js";
export { diagnose, type DiagnoseOptions } from "./doctor/diagnose.js";
export type {
  Calibration,
  Check,
  CheckStatus,
  Diagnosis,
  Readings,
  ToolReading,
  WorkerReadings,
  WorkersToCheck,
} from "./doctor/diagnosis.js";
export { renderDiagnosis } from "./doctor/render-diagnosis.js";
export { ImportError } from "./import/imported-run.js";
export type { ResultComparison, RunIdentity, TargetPair } from "./judge/compare-results.js";
export {
  compareTargets,
  compareWithReference,
  type LevelJudgement,
  type MarginComparison,
  type Open,
  type ReferenceComparison,
  type TargetJudgement,
  type TestedComparison,
  type UnknownReason,
  type UntestedComparison,
  verdictOf,
} from "./judge/compare-targets.js";
export type { Answer } from "./judge/compare-trials.js";
export type { Difference, DifferenceCode } from "./judge/differences.js";
export type { Margins } from "./judge/metrics.js";
export { renderLiveLines } from "./live/live-lines.js";
export { nextLiveState, NOT_BEGUN, type LiveState, type LiveStep } from "./live/live-state.js";
export { openLiveView, type LiveView, type LiveViewOptions } from "./live/live-view.js";
export type * from "./plugin.js";
export { renderComparison } from "./report/compare-render.js";
export { describeLoad } from "./report/describe-level.js";
export { describeFinding } from "./report/finding-text.js";
export { hideSecrets, secretsOf } from "./stats/hide-secrets.js";
export { renderStepLine } from "./report/describe-run.js";
export { renderSummary, type PaintVerdict } from "./report/summary-table.js";
export { textWidth, wrapWords } from "./report/text-layout.js";
export type { StepPhase, SweepEvent, SweepListener } from "./run/sweep-event.js";
export {
  balancerProgram,
  type BalancerProgram,
  type ProgramPlace,
  type ProgramPolicy,
  type SeenBackend,
} from "./servers/balancer-program.js";
export { builtInServers } from "./servers/built-in-servers.js";
export { formatFault } from "./stats/faults.js";
export { StopError } from "./run/targets.js";
export { StartError } from "./system/program.js";
export { OutputError } from "./store/write-file.js";
export { readResult, type StoredResult } from "./store/read-result.js";
export { openReportFolder, type ReportFolder } from "./store/report-folder.js";
