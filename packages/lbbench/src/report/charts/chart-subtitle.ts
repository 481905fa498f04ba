import type { Result } from "../../model/result.js";
import { collectCells } from "../cells.js";
import { summarizeTrials } from "../../stats/trials.js";

/** Joins the scenario's name, what the chart is about and, with several trials, what points and whiskers are. */
export function chartSubtitle(result: Result, about: string, whiskers: boolean): string {
  return [result.scenario.name, about, whiskers ? describeTrials(result) : ""]
    .filter((part) => part !== "")
    .join(" · ");
}

function describeTrials(result: Result): string {
  const most = Math.max(0, ...collectCells(result).map(({ measurements }) => measurements.length));
  if (most < 2) {
    return "";
  }
  const { interval } = summarizeTrials(Array.from({ length: most }, (_, index) => index));
  const ends = interval === "range" ? "lowest to highest" : "95 % interval";
  return `median of ${most} trials, whiskers: ${ends}`;
}
