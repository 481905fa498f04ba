import type { Figures } from "./finding-figures.js";
import { unitOf } from "./finding-unit.js";

/**
 * Says what bounds the throughput of a target, how sure that is, and what of it was not measured: the sentence of
 * `SCALABILITY`.
 */
export function scalabilitySentence(of: Figures): string {
  const parts = [contention(of), bound(of), peak(of)].filter((part) => part !== "");
  return `by the Universal Scalability Law, which fits within ${of.percent("relativeError")}, ${parts.join("; ")}`;
}

function contention(of: Figures): string {
  if (of.number("contentionLow") <= 0) {
    return `at most ${of.percent("contentionHigh")} of the work is done one at a time`;
  }
  const interval = of.has("contentionLow")
    ? ` (95 % interval ${of.size("contentionLow")} to ${of.size("contentionHigh")})`
    : "";
  return `about ${of.percent("contention")}${interval} of the work is done one at a time`;
}

function bound(of: Figures): string {
  return of.has("bound")
    ? `however many ${unitOf(of)} there are, throughput stays below about ${of.rate("bound")} ok responses/s`
    : "";
}

function peak(of: Figures): string {
  if (!of.has("peakLoad")) return "";
  const interval = of.has("peakLow") ? ` (95 % interval ${of.count("peakLow")} to ${of.count("peakHigh")})` : "";
  const beyond =
    of.number("peakLoad") > of.number("highest")
      ? `: extrapolated, nothing was measured beyond ${of.count("highest")}`
      : "";
  return `throughput is highest, about ${of.rate("peakThroughput")} ok responses/s, at about ${of.count("peakLoad")} ${unitOf(of)}${interval}${beyond}`;
}
