import type { Finding } from "../model/finding.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * `FIGURE_NOT_TOLD` {program, figure: latency, ok, sent} when answers were ok, and the program that generated the load does not
 * tell their latency: it does not tell it apart from that of failed requests, or its clock is too coarse.
 */
export function findFigureNotTold({ measurement }: UnjudgedStep): readonly Finding[] {
  if (measurement?.program === undefined || measurement.latency !== undefined) return [];
  const { program, requests } = measurement;
  const { ok, sent } = requests;
  const args = { program: program.name, figure: "latency", ok, sent };
  return ok > 0 ? [{ code: "FIGURE_NOT_TOLD", severity: "info", args }] : [];
}
