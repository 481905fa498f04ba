import { cellsByTarget, collectCells } from "../cells.js";
import { collectRamps } from "../ramps.js";
import type { TargetRamp } from "../ramps.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { describeStepError } from "../describe-state.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { failureTable } from "./failure-table.js";
import { latencyTable } from "./latency-table.js";
import { mixTable } from "./mix-table.js";
import { rampTable } from "./ramp-table.js";
import { rampTimeline } from "./ramp-timeline.js";
import { resourceTable } from "./resource-table.js";
import { phaseTable } from "./phase-table.js";
import { scheduleTable } from "./schedule-table.js";
import type { Section } from "./section.js";
import { trialsTable } from "./trials-table.js";

/** The figures of every target: requests and latency, failures, spread over the trials, transfer and processes. */
export const targetTables: Section = (result) => {
  const targets = [...cellsByTarget(collectCells(result))];
  if (targets.length === 0) return ["## Results", "No step was executed."];
  const ramps = collectRamps(result);
  return ramps.length === 0
    ? ["## Results", ...targets.flatMap(([name, cells]) => renderTarget(name, cells))]
    : ["## Results", ...rampTable(ramps), ...ramps.flatMap(renderRamp)];
};

function renderRamp(ramp: TargetRamp): readonly string[] {
  const cells = [ramp.cell];
  const resources = resourceTable(cells);
  return [
    `### ${escapeMarkdown(ramp.cell.target)}`,
    ...rampTimeline(ramp),
    ...phaseTable(cells),
    ...renderErrors(cells),
    ...failureTable(cells),
    ...mixTable(cells),
    ...trialsTable(cells),
    ...resources,
    ...(resources.length === 0
      ? []
      : ["These are averages over the whole ramp: what was busy only towards its end shows as less."]),
  ];
}

function renderTarget(name: string, cells: readonly Cell[]): readonly string[] {
  return [
    `### ${escapeMarkdown(name)}`,
    ...latencyTable(cells),
    ...scheduleTable(cells),
    ...phaseTable(cells),
    ...renderErrors(cells),
    ...failureTable(cells),
    ...mixTable(cells),
    ...trialsTable(cells),
    ...resourceTable(cells),
  ];
}

function renderErrors(cells: readonly Cell[]): readonly string[] {
  const lines = cells.flatMap(({ level, steps }) =>
    steps
      .filter(({ state }) => state !== "completed")
      .map((step) => {
        const trial = steps.length > 1 ? `, trial ${step.trial}` : "";
        return `- ${describeLoad(level)}${trial}: ${escapeMarkdown(describeStepError(step))}`;
      }),
  );
  return lines.length === 0 ? [] : [lines.join("\n")];
}
