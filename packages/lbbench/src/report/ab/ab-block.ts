import type { StepResult } from "../../model/result.js";
import type { ToldScenario } from "../../model/scenario.js";
import { describeAmount, describeLoad } from "../describe-level.js";
import { describeStepError } from "../describe-state.js";
import { plainLine } from "../plain-line.js";
import { abDocumentLines, abServerLines } from "./ab-document.js";
import { abParagraphs } from "./ab-lines.js";
import { printedByAb } from "./ab-output.js";
import { abConnectionLines, abPercentageLines } from "./ab-times.js";
import { abTotalLines } from "./ab-totals.js";

/**
 * Returns a step in the layout of ApacheBench 2.3, after a comment that says which step it is: `# lbbench: target "single", 50
 * connections, 3 s, trial 1`. Lines whose figures are not known are left out; of a step without a measurement there is the comment
 * alone. A step that `ab` itself measured has what it printed.
 */
export function renderAbBlock(scenario: ToldScenario, step: StepResult): string {
  const { measurement } = step;
  const figures =
    measurement === undefined
      ? []
      : (printedByAb(measurement) ??
        abParagraphs([
          abServerLines(scenario, step),
          abDocumentLines(scenario, step),
          abTotalLines(scenario, step, measurement),
          // In an open loop they begin when a request left, and percentiles when it was due.
          abConnectionLines(step.level.rate === undefined ? measurement.phases : undefined),
          abPercentageLines(measurement.latency),
        ]));
  return [describePlace(step), ...(figures.length === 0 ? [] : ["", ...figures])].join("\n");
}

function describePlace(step: StepResult): string {
  const { target, level, trial, state } = step;
  const place = [`target ${JSON.stringify(target)}`, describeLoad(level), describeAmount(level), `trial ${trial}`];
  const outcome = state === "completed" ? "" : `: ${describeStepError(step)}`;
  return `# lbbench: ${plainLine(`${place.filter((part) => part !== "").join(", ")}${outcome}`)}`;
}
