import type { FindingCode } from "../model/finding.js";
import { type Figures, type FindingProse, unitOf } from "./finding-figures.js";

/** The words for findings about what a target does as its load rises. */
export const LOAD_PROSE = {
  CLIFF: {
    title: "It falls off a cliff",
    sentence: (of) =>
      of.has("second")
        ? `${rampPlace(of)} on, ${failing(of)}goodput falls to ${of.percent("remaining")}: it falls off a cliff`
        : `goodput fell to ${of.percent("remaining")} of its best ${fallPlace(of)}, all at once`,
    cause:
      "Something gives way as a whole: a backlog or a connection limit, memory, a crash, or timeouts whose work is done for nothing.",
    remedy:
      "Stay below the last good level; bound queues and refuse what is too much early; measure the levels in between.",
  },
  DEGRADES: {
    title: "It degrades",
    sentence: (of) =>
      of.has("second")
        ? `${rampPlace(of)} on, ${failing(of)}goodput falls, at worst to ${of.percent("remaining")}: it degrades`
        : `goodput fell from ${firstBad(of)} on, at worst to ${of.percent("remaining")} of its best`,
    cause: "More load costs more than it brings: contention, memory pressure, work for requests that have given up.",
    remedy: "Take the load before the fall for its limit; look at what grows with the load, and bound it.",
  },
  KNEE: {
    title: "Where throughput stops growing",
    sentence: kneeSentence,
    cause:
      "Something is fully used from there on: a process or all cores, where one is named here or in the column Bottleneck; else something that requests wait for one after the other, such as a lock, a pool or the network.",
    remedy: kneeRemedy,
  },
  SCALABILITY: {
    title: "How it scales",
    sentence: scalabilitySentence,
    cause:
      "Work that one does at a time (contention: a lock, one event loop) bounds throughput; what all have to agree on (coherency: shared memory, a pool) makes it fall again beyond a peak.",
    remedy: "Look for what is shared. Before you rely on a peak that is extrapolated, measure levels around it.",
  },
  SHEDS: {
    title: "It refuses what is too much",
    sentence: (of) =>
      of.has("second")
        ? `${rampPlace(of)} on, requests are refused, while as many as at its best are answered: it sheds load`
        : `requests were refused from ${firstBad(of)} on, while as many as at its best were answered`,
    cause:
      "A limit that was set on purpose, such as a bounded queue, which is the best way to be overloaded; where connections are closed or reset in place of an answer, perhaps also a crash.",
    remedy: "Raise the limit only if there is capacity left; clients should wait before they try again.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

/** Where in a ramp: users, and the second in which they were there. */
function rampPlace(of: Figures): string {
  return `from ${firstBad(of)} (second ${of.count("second")})`;
}

function failing(of: Figures): string {
  if (!of.has("failsFrom")) return "";
  return of.text("failsFromSecond") === of.text("second")
    ? "requests fail and "
    : `requests fail (since second ${of.count("failsFromSecond")}) and `;
}

function fallPlace(of: Figures): string {
  return of.has("lastGood")
    ? `between ${of.count("lastGood")} and ${of.count("firstBad")} ${unitOf(of)}`
    : `at ${firstBad(of)}, the first level`;
}

/** `1 connection`, `50 connections` */
function firstBad(of: Figures): string {
  return `${of.count("firstBad")} ${unitOf(of, of.text("firstBad"))}`;
}

/** Times by which the levels beside a knee may be apart for it to be named by a number: `about 70 (between 50 and 100)`. */
const NEAR = 4;

/** Says where throughput stops growing, how exactly that is known, and whether it bends there or levels off: the sentence of `KNEE`. */
function kneeSentence(of: Figures): string {
  const unit = unitOf(of);
  const knee = `about ${of.count("knee")}`;
  const most = `${of.rate("throughput")} ok responses/s`;
  const waits = of.has("then") ? "" : "; more load only adds waiting";
  if (of.has("second")) {
    return `throughput stops growing at ${knee} ${unit} (second ${of.count("second")}), at ${most}${waits}`;
  }
  if (isGradual(of)) {
    const place = `throughput comes within 10 % of ${most} at ${of.count("reached")} ${unit}`;
    return `${place}; it grows more and more slowly from ${knee} on${limitOf(of)}`;
  }
  const between = `between ${of.count("below")} and ${of.count("above")}`;
  // Where nothing was measured near the knee, it cannot be lower than at the pace of the levels before.
  const place = isWide(of) ? `${between} ${unit} (${knee} or more)` : `at ${knee} ${unit} (${between})`;
  return `throughput stops growing ${place}, at ${most}${waits}${limitOf(of)}`;
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
function kneeRemedy(of: Figures): string {
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

/**
 * Says what bounds the throughput of a target, how sure that is, and what of it was not measured: the sentence of
 * `SCALABILITY`.
 */
function scalabilitySentence(of: Figures): string {
  const parts = [contention(of), bound(of), peak(of)].filter((part) => part !== "");
  const law = `the Universal Scalability Law fits within ${of.percent("relativeError")}`;
  return `${law}: ${parts.length === 0 ? "throughput grows in proportion to the load" : parts.join("; ")}`;
}

/** Files of earlier versions have an interval, which may say that there is none for certain. */
function contention(of: Figures): string {
  const isTold = of.number("contention") > 0 && !(of.has("contentionLow") && of.number("contentionLow") <= 0);
  return isTold ? `about ${of.percent("contention")} of the work is done one at a time` : "";
}

function bound(of: Figures): string {
  return of.has("bound")
    ? `throughput stays below about ${of.rate("bound")} ok responses/s with any number of ${unitOf(of)}`
    : "";
}

function peak(of: Figures): string {
  if (!of.has("peakLoad")) return "";
  const beyond =
    of.number("peakLoad") > of.number("highest")
      ? `: extrapolated, nothing was measured beyond ${of.count("highest")}`
      : "";
  return `throughput is highest, about ${of.rate("peakThroughput")} ok responses/s, at about ${of.count("peakLoad")} ${unitOf(of)}${beyond}`;
}
