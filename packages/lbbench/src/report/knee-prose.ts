import type { Figures } from "./finding-figures.js";
import { unitOf } from "./finding-unit.js";
import { formatRate } from "./format-number.js";

/** Times by which the levels beside a knee may be apart for it to be named by a number: `about 70 (between 50 and 100)`. */
const NEAR = 4;

/** Says where throughput stops growing, how exactly that is known, and whether it bends there or levels off: the sentence of `KNEE`. */
export function kneeSentence(of: Figures): string {
  const unit = unitOf(of);
  const most = `${of.rate("throughput")} ok responses/s`;
  const limit = limitOf(of);
  if (of.has("second")) {
    const waits = of.has("then") ? "" : "; more of them only wait longer";
    return `throughput stops growing at about ${of.count("knee")} ${unit} (second ${of.count("second")}), at ${most}${waits}`;
  }
  if (isGradual(of)) {
    return `throughput levels off gradually, without a sharp bend: it comes within 10 % of ${most} at ${of.count("reached")} ${unit}, and would be there at about ${of.count("knee")} if nobody had to wait for anybody${limit}`;
  }
  const between = `between ${of.count("below")} and ${of.count("above")}`;
  const place = isWide(of)
    ? `levels off somewhere ${between} ${unit}, at ${most}: ${leastOf(of)}`
    : `stops growing at about ${of.count("knee")} ${unit} (${between}), at ${most}`;
  return `throughput ${place}${of.has("then") ? "" : "; more load only waits longer"}${limit}`;
}

/** Where nothing was measured near the knee: why it cannot be lower than it is. */
function leastOf(of: Figures): string {
  const least = of.count("knee");
  if (of.text("kind") === "rate") return `at the pace of the levels before it is there at about ${least} or later`;
  const each = formatRate(of.number("throughput") / of.number("knee"));
  return `one ${unitOf(of, "1")} makes about ${each}, so that it takes about ${least} of them or more`;
}

/** What was busy to its limit beyond the knee; nothing where that is not known. */
function limitOf(of: Figures): string {
  const sentence = LIMITS.get(of.text("bottleneck"));
  if (sentence === undefined) return "";
  const where = of.has("busyAt") ? ` at ${of.counts("busyAt")} ${unitOf(of, of.text("busyAt"))}` : " from there on";
  return `; ${sentence(where)}`;
}

const LIMITS: ReadonlyMap<string, (where: string) => string> = new Map<string, (where: string) => string>([
  ["none", () => "none of its processes was at its limit"],
  ["backend", (where) => `its backends were at their limit${where}`],
  ["balancer", (where) => `its balancer was at its limit${where}`],
  ["machine", (where) => `all cores of the machine were busy${where}`],
  ["generator", (where) => `the load generator was at its limit${where}, so that the target may carry more`],
]);

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
