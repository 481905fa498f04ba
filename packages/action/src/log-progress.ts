import { describeFinding, describeLoad, renderStepLine, type SweepListener } from "lbbench";
import { printLines } from "./print-line.js";

/** Returns a listener that prints a line for each step of a sweep that is done, and for what a step may run out of. */
export function createProgressLog(): SweepListener {
  let total: number | undefined;
  return (event) => {
    if (event.type === "start" || event.type === "plan") total = event.total;
    if (event.type === "warning") {
      const { step, finding } = event;
      const at = `${step.target} at ${describeLoad(step.level)}`;
      printLines(`warning ${finding.code}: ${at}: ${describeFinding(finding).text}`);
    }
    if (event.type === "step-done") {
      printLines(`[${event.index + 1}${total === undefined ? "" : `/${total}`}] ${renderStepLine(event.step)}`);
    }
  };
}
