import type { Figures } from "./finding-figures.js";
import { unitOf } from "./finding-unit.js";

/** Times by which the levels beside a knee may be apart for it to be named by a number: `about 70 (between 50 and 100)`. */
const NEAR = 4;

/** Says where throughput stops growing, how exactly that is known, and whether it bends there or levels off: the sentence of `KNEE`. */
export function kneeSentence(of: Figures): string {
  const unit = unitOf(of);
  const most = `${of.rate("throughput")} ok responses/s`;
  if (of.has("second")) {
    const waits = of.has("then") ? "" : "; more of them only wait longer";
    return `throughput stops growing at about ${of.count("knee")} ${unit} (second ${of.count("second")}), at ${most}${waits}`;
  }
  if (isGradual(of)) {
    return `throughput levels off gradually, without a sharp bend: it comes within 10 % of ${most} at ${of.count("reached")} ${unit}, and would be there at about ${of.count("knee")} if nobody had to wait for anybody`;
  }
  const between = `between ${of.count("below")} and ${of.count("above")}`;
  const place = isWide(of)
    ? `levels off somewhere ${between} ${unit} (not before ${of.count("knee")})`
    : `stops growing at about ${of.count("knee")} ${unit} (${between})`;
  return `throughput ${place}, at ${most}${of.has("then") ? "" : "; more load only waits longer"}`;
}

/** Says what to do about a knee, which depends on how exactly it is known. */
export function kneeRemedy(of: Figures): string {
  if (isGradual(of)) {
    return "Choose the load by the latency that you accept: every step up to there brings some throughput, and some waiting.";
  }
  return isWide(of)
    ? "Measure levels between the two to find it."
    : "Run it below the knee; measure levels closer to it to find it more exactly.";
}

function isGradual(of: Figures): boolean {
  return of.number("reached") > of.number("above");
}

function isWide(of: Figures): boolean {
  return !of.has("second") && of.number("above") > NEAR * of.number("below");
}
