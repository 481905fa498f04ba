import type { Figures } from "./finding-figures.js";

/** By metric, what a change for the worse is. */
const WORSE: ReadonlyMap<string, (size: string) => string> = new Map([
  ["throughput", (size: string) => `throughput is ${size} % lower`],
  ["p50", (size: string) => `p50 is ${size} % higher`],
  ["p99", (size: string) => `p99 is ${size} % higher`],
  ["errors", (size: string) => `the share of failed requests is ${size} points higher`],
]);

/** Says by how much a target is worse than the reference, and how much it might be: the sentence of `WORSE_THAN_REFERENCE`. */
export function worseSentence(of: Figures): string {
  const metric = of.text("metric");
  if (metric === "deaths") {
    return `it died in ${of.count("died")} of ${of.count("trials")} trials, ${of.text("reference")} in none`;
  }
  const what = WORSE.get(metric)?.(of.size("change")) ?? `${metric} is worse`;
  // Of less throughput the smaller change is the higher one.
  const [from, to] = metric === "throughput" ? (["high", "low"] as const) : (["low", "high"] as const);
  const interval = of.has("low") ? ` (95 % interval ${of.size(from)} to ${of.size(to)})` : "";
  const worst = of.text("levels").includes(",") ? "at worst " : "";
  const unit = metric === "errors" ? "points" : "%";
  return `${worst}${what} than that of ${of.text("reference")}${interval}, where the margin allows ${margin(of)} ${unit}`;
}

/** Says why it is not known whether a target is worse: the sentence of `COMPARISON_INCONCLUSIVE`. */
export function inconclusiveSentence(of: Figures): string {
  const asked = `whether it is worse than ${of.text("reference")} by more than ${margin(of)} %`;
  switch (of.text("because")) {
    case "SINGLE_TRIAL":
    case "TOO_FEW_TRIALS": {
      if (of.has("planned")) {
        return `too few of the ${of.count("planned")} trials were measured (--resume goes on) to tell ${asked}`;
      }
      const least = of.has("trialsNeeded") ? ` (what is compared takes at least ${of.count("trialsNeeded")})` : "";
      return `too few trials${least} to tell ${asked}`;
    }
    case "WITHIN_NOISE":
      return `the trials vary too much to tell ${asked}`;
    case "NOT_MEASURED":
      return `a side has no measurement to tell ${asked}`;
    default:
      return `because of ${of.text("because")} it cannot be told ${asked}`;
  }
}

/** As it was given: `5`, not `5.0`. */
function margin(of: Figures): string {
  return of.size("margin").replace(/\.0$/, "");
}
