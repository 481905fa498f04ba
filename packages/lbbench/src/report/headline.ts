/** What a reader sees first: what the verdict means, what the run shows, and what to do next. Plain text, names as they came. */
import { isPreventingCode } from "../judge/differences.js";
import { readFigures, type Seen } from "../judge/found.js";
import { count, loads } from "../judge/finding-figures.js";
import { CONCLUSIONS, rowOf } from "../judge/findings.js";
import { findShortfalls, isAnythingMeasured } from "../judge/judge-result.js";
import type { Finding, FindingArgs, Verdict } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import { sumOf } from "../stats/descriptive.js";
import { formatCount, formatPercent, formatRate, countOf } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { isLoadKind } from "../stats/load.js";
import { describeMargin, describeReach } from "./compare-words.js";
import { describeLoad } from "./describe-level.js";
import { describeLosses } from "./faults.js";
import { describeFinding } from "./finding-text.js";
import { capitalize } from "./plain-line.js";
import { describePolicies } from "./policies.js";
import type { ReportModel } from "./report-model.js";

/** The first screen of a report, a sentence or a few to a line. */
export interface Headline {
  /** What the verdict means. */
  readonly verdict: string;
  /** What the run shows, at most {@link MOST_LINES}. */
  readonly lines: readonly string[];
  /** What to do next; empty where there is nothing. */
  readonly next: string;
  /** What else the run shows, without room on a first screen. */
  readonly more: readonly string[];
}

/** Five lines with verdict and next step. */
const MOST_LINES = 3;

/** Says what a reader of a result looks for: what faults cost, the limits that were found, how targets compare, and where each ends. */
export function describeHeadline(model: ReportModel): Headline {
  const { result } = model;
  const { findings } = result.verdict;
  const conclusions = findings.filter(({ code }) => CONCLUSIONS.has(code));
  const ofCode = (...codes: readonly Finding["code"][]): readonly Finding[] =>
    findings.filter(({ code }) => codes.includes(code));
  // A rate that was asked for says nothing of a policy.
  const peaks = result.scenario.policies === undefined ? ofCode("PEAK") : [];
  const limits = describeLimits(ofCode("LIMIT_FOUND", "LIMIT_NOT_FOUND", "NOTHING_HELD"));
  const all = [
    ...ofCode("CONNECTIONS_HELD").map(sayOne),
    ...describePolicies(ofCode("POLICIES_COMPARED")),
    ...describeLosses(ofCode("FAULTS_COMPARED")),
    ...limits.told,
    ...describePairs(conclusions.filter(({ args }) => args["reference"] !== undefined)),
    ...ofCode("BREAKS").map(sayOne),
    ...(peaks.length > 1 ? [describePeaks(peaks)] : peaks.map(sayOne)),
  ];
  return {
    verdict: describeVerdict(model),
    lines: all.slice(0, MOST_LINES),
    next: result.search !== undefined && result.verdict.status === "pass" ? "" : describeNext(result),
    more: [...limits.more, ...all.slice(MOST_LINES)],
  };
}

/** What a finding says, without its target and without a full stop. */
function sentenceOf({ code, args }: Finding, without: FindingArgs = {}): string {
  const seen: Seen = readFigures({ ...args, ...without });
  return rowOf({ code }).sentence?.(seen) ?? code;
}

const sayOne = (finding: Finding): string => `${finding.args["target"]}: ${sentenceOf(finding)}.`;

/**
 * What the search of each target found, the most that held first: a line for each, or where there is no room for that one for all, and those
 * of each beside. Of several targets, that this is no test.
 */
function describeLimits(limits: readonly Finding[]): Record<"told" | "more", readonly string[]> {
  const heldBy = ({ args }: Finding): number => Number(args["held"] ?? 0);
  const sorted = limits.toSorted((a, b) => heldBy(b) - heldBy(a));
  const lines = sorted.map(sayOne);
  const advice =
    "A search does not test whether targets differ. To compare them, use lbbench sweep --trials auto at one load.";
  if (lines.length <= MOST_LINES) return { told: lines, more: lines.length < 2 ? [] : [advice] };
  const held = sorted.map(({ args }, at) => {
    const { kind, held: most } = readFigures(args);
    return `${args["target"]} ${most === undefined ? "none" : at === 0 ? loads(most, kind) : count(most)}`;
  });
  return { told: [`Largest load that held: ${held.join(", ")}.`, advice], more: lines };
}

/** More targets with the same text are counted, not named. */
const MOST_NAMED = 3;

/** A line for each pair of targets, first the pairs with a claim; pairs with the same text share a line. */
function describePairs(conclusions: readonly Finding[]): readonly string[] {
  const pairs = groupBy(conclusions, ({ args }) => JSON.stringify([args["target"], args["reference"]]));
  // Beside a claim, what stays open is no news.
  const told = [...pairs.values()].map((pair) => (pair.some(isClaim) ? pair.filter(isClaim) : pair));
  const alike = groupBy(told, (pair) =>
    pair.map((finding) => sentenceOf(finding, "alike" in finding.args ? NO_SIZE : {})).join(". "),
  );
  const sorted = [...alike.values()].toSorted((a, b) => newsOf(b[0] ?? []) - newsOf(a[0] ?? []));
  return sorted.map((those) => {
    const names = those.flatMap(([first]) => first?.args["target"] ?? []);
    const named = names.length > MOST_NAMED ? `${formatCount(names.length)} targets` : names.join(", ");
    return sayPair(named, those[0] ?? []);
  });
}

const isClaim = ({ code }: Finding): boolean => code !== "UNTESTED" && code !== "WITHIN_NOISE";

/** How much a reader wants to know of a pair: that it differs, that it is alike, that it differed or was alike in one run. */
function newsOf(pair: readonly Finding[]): number {
  if (pair.some((finding) => isClaim(finding) && finding.code !== "ALIKE")) return 3;
  if (pair.some(({ code }) => code === "ALIKE")) return 2;
  return pair.every(({ args }) => "alike" in args) ? 0 : 1;
}

/** Replaces the size of a difference that a single run shows as about alike. */
const NO_SIZE: FindingArgs = { least: 0, most: 0 };

/** `cluster: 21 to 76 % more requests/s than single from 50 connections on (p = 0.007). 22 % fewer requests/s with 1 connection.` */
function sayPair(names: string, pair: readonly Finding[]): string {
  const said = pair.map((finding, at) => {
    const { reference: _, ...rest } = finding.args;
    return at === 0 ? sentenceOf(finding) : capitalize(sentenceOf({ ...finding, args: rest }));
  });
  return `${names}: ${said.join(". ")}.`;
}

/**
 * Says what the findings of a comparison say, but for what the differences between two results say already: a line for each that is worse
 * beyond the margin, for each that cannot be judged by it, and for each that is shown beside.
 */
export function describeComparison(all: readonly Finding[]): Record<"worse" | "open" | "shown", readonly string[]> {
  const findings = all.filter(({ args }) => !isPreventingCode(String(args["because"] ?? "")));
  const judged = findings.filter(({ code }) => !CONCLUSIONS.has(code));
  // What is worse beyond the margin is slower as well, and what cannot be judged has told why.
  const isTold = ({ code, args }: Finding): boolean =>
    ["SLOWER", "FAILS_MORE", "UNTESTED"].includes(code) &&
    judged.some((one) => one.args["target"] === args["target"] && (one.severity === "error" || code === "UNTESTED"));
  const tell = (isOpen: boolean): readonly string[] =>
    judged
      .filter(({ code }) => (code === "COMPARISON_INCONCLUSIVE") === isOpen)
      .map((finding) => describeFinding(finding).text);
  return {
    worse: tell(false),
    open: tell(true),
    shown: describePairs(findings.filter((finding) => CONCLUSIONS.has(finding.code) && !isTold(finding))),
  };
}

/** Of a ramp its best second. */
const mostOf = ({ best, throughput = 0 }: Seen): number => best ?? throughput;

/** `Most requests/s: cluster 6,519 at 500 connections (limit: machine), single 4,121 at 1,000 (limit: backend).` */
function describePeaks(peaks: readonly Finding[]): string {
  const told = peaks
    .map(({ args }) => ({ name: String(args["target"]), seen: readFigures(args) }))
    .toSorted((a, b) => mostOf(b.seen) - mostOf(a.seen))
    .map(({ name, seen }, at) => {
      const { kind, throughput = 0, bottleneck = "none", best, atUsers } = seen;
      if (throughput === 0) return `${name} none`;
      const load = best === undefined ? (isLoadKind(kind) ? seen[kind] : undefined) : atUsers;
      const place =
        kind === "rate" ? `of ${loads(load, kind)} asked for` : `at ${at === 0 ? loads(load, kind) : count(load)}`;
      return `${name} ${formatRate(best ?? throughput)} ${place}${bottleneck === "none" ? "" : ` (limit: ${bottleneck})`}`;
    });
  return `Most requests/s: ${told.join(", ")}.`;
}

/**
 * What to do about the gravest finding; where requests fail from a load on, about that, first of the target whose failures the verdict is about;
 * else about what is not claimed.
 */
function describeNext(result: Result): string {
  const { verdict, imported } = result;
  const { findings } = verdict;
  const failing = findShortfalls(result).flatMap((one) => (one.reason === "failures" ? one.step.target : []));
  const ofFailing = findings.filter(({ args }) => failing.includes(String(args["target"])));
  const first =
    findings.find(({ severity }) => severity === "error") ??
    ofFailing.find(({ code }) => code === "BREAKS") ??
    ofFailing.find((finding) => finding.severity === "warning" && rowOf(finding).of === "failures") ??
    findings.find(({ code }) => code === "BREAKS") ??
    findings.find(({ severity }) => severity === "warning") ??
    findings.find(({ code }) => code === "UNTESTED");
  if (first === undefined) return "";
  return describeFinding(wayOf(first, findings), imported === undefined ? "measured" : "imported").remedy;
}

/**
 * Where all requests failed without any answer that an option could expect, how most of them did says more of what to do. Where a
 * target, or its balancer by itself, refuses requests, that says more than their status.
 */
function wayOf(finding: Finding, findings: readonly Finding[]): Finding {
  const isOfTarget = ({ args }: Finding): boolean => args["target"] === finding.args["target"];
  if (finding.code === "NON_2XX")
    return findings.find((one) => ["BALANCER_REFUSED", "SHEDS"].includes(one.code) && isOfTarget(one)) ?? finding;
  if (finding.code !== "ALL_FAILED") return finding;
  const shareOf = ({ args }: Finding): number => Number(args["share"] ?? 0);
  const [most] = findings
    .filter((one) => rowOf(one).of === "failures" && isOfTarget(one))
    .toSorted((a, b) => shareOf(b) - shareOf(a));
  const isAnswered = most?.code === "NON_2XX" || (most?.code === "BODY_MISMATCH" && most.args["code"] === undefined);
  return most === undefined || isAnswered ? finding : most;
}

/** Says in a sentence or two what the verdict means. */
function describeVerdict(model: ReportModel): string {
  const { result } = model;
  const { verdict, steps, search } = result;
  const shortfalls = describeShortfalls(result);
  const counted = countFindings(verdict);
  const told = (...codes: readonly Finding["code"][]): readonly string[] =>
    codes.flatMap((code) => tellFirst(verdict, code));
  if (search !== undefined) return join(describeSearchVerdict(result), ...shortfalls, counted);
  if (verdict.status === "pass") return join(...describeMet(model), counted, ...shortfalls);
  if (verdict.status === "fail") return join(...told("THRESHOLD_FAILED", "WORSE_THAN_REFERENCE"), ...shortfalls);
  if (!isAnythingMeasured(steps)) return join("Nothing was measured.", ...shortfalls);
  const inconclusive = ["THRESHOLD_INCONCLUSIVE", "COMPARISON_INCONCLUSIVE"] as const;
  return join(...describeDoubt(result), ...told(...inconclusive), ...shortfalls, counted);
}

/** The first finding of a code in words, and how many more there are. */
function tellFirst({ findings }: Verdict, code: Finding["code"]): readonly string[] {
  const [first, ...others] = findings.filter((finding) => finding.code === code);
  if (first === undefined) return [];
  return [
    describeFinding(first).text,
    ...(others.length === 0 ? [] : [`${formatCount(others.length)} more like this.`]),
  ];
}

/** Says what the verdict of a search means, without its shortfalls. */
function describeSearchVerdict({ verdict, search = [] }: Result): string {
  if (verdict.status === "pass") return "";
  if (verdict.status === "fail") return "A target does not hold even the smallest load.";
  const isDoubted = verdict.findings.some(({ code, severity }) => severity === "error" || code === "LIMIT_DOUBTFUL");
  const isTold = search.every(({ status }) => ["found", "unbounded", "unfinished"].includes(status));
  return isDoubted || !isTold ? "The numbers do not support a conclusion; the findings say why." : "";
}

/** Says why a run that failed nothing is no `pass`, a sentence or two for each reason; plain text, names as they came. */
export function describeShortfalls(result: Result): readonly string[] {
  return findShortfalls(result).map((shortfall) => {
    if (shortfall.reason === "unfinished")
      return "The run was not finished: what follows is what was measured until then.";
    if (shortfall.reason === "no-limit")
      return `No limit of ${shortfall.targets.join(", ")} was found: the largest load that was tried held.`;
    const { share, step } = shortfall;
    const failed = `${formatPercent(share)} % of the requests of ${step.target} with ${describeLoad(step.level)} failed`;
    const advice = adviseOnFailures(share, step);
    // That all failed has been said, and no threshold allows that.
    return isNoneOk(result.steps) ? advice : `${failed}. No threshold says how many may. ${advice}`;
  });
}

/** A threshold does not help a target that fails more requests than this. */
const MOST_ALLOWED = 0.1;

/** A threshold can allow few failures; where all failed, only another status that is expected helps. */
function adviseOnFailures(share: number, { measurement }: StepResult): string {
  const look = "Look for the cause in the findings";
  if (share < MOST_ALLOWED) {
    return `${look}, or allow such a share: --threshold 'errors<${Math.floor(share * 100) + 1}%'.`;
  }
  if (share < 1) return `${look}.`;
  const statuses = Object.entries(measurement?.statusCodes ?? {}).toSorted(([, a], [, b]) => b - a);
  const [status = ""] = (measurement?.requests.non2xx ?? 0) > 0 ? (statuses[0] ?? []) : [];
  if (!/^\d{3}$/.test(status)) return `${look}.`;
  const redirect = /^30[12378]$/.test(status) ? " No redirect is followed: measure the address that it leads to." : "";
  return `${look}.${redirect} If ${status} is a good answer, say so: --expect-status ${status}.`;
}

/** `2 warnings.`, each of a code once, as they are listed; empty beside an error, which says more by itself. */
function countFindings({ findings }: Verdict): string {
  if (findings.some(({ severity }) => severity === "error")) return "";
  const warnings = new Set(findings.flatMap(({ severity, code }) => (severity === "warning" ? code : [])));
  return warnings.size === 0 ? "No warnings." : `${countOf(warnings.size, "warning")}.`;
}

function isNoneOk(steps: readonly StepResult[]): boolean {
  return steps.every(({ measurement }) => (measurement?.requests.ok ?? 0) === 0);
}

/** What leaves the numbers without a conclusion: the gravest error, where there is one. */
function describeDoubt({ steps, verdict }: Result): readonly string[] {
  const sent = sumOf(steps, ({ measurement }) => measurement?.requests.sent ?? 0);
  if (isNoneOk(steps) && sent >= 2) {
    const none = `Not one of ${formatCount(sent)} requests was answered as expected`;
    return [`${none}: there is nothing to conclude, or to compare.`];
  }
  const error = verdict.findings.find(({ severity }) => severity === "error");
  return error === undefined ? [] : tellFirst(verdict, error.code);
}

function describeMet({ result, comparison }: ReportModel): readonly string[] {
  const { thresholds, faults = [], margin, policies } = result.scenario;
  const isUnasked = thresholds.length === 0 && faults.length > 0 && policies === undefined;
  const few = ["", "The threshold was met.", "Both thresholds were met."][thresholds.length];
  const met = [
    few ?? `All ${formatCount(thresholds.length)} thresholds were met.`,
    isUnasked ? "No threshold says how many requests the faults may cost." : "",
  ];
  if (margin === null) return met;
  const notWorse = `No target is worse than its reference by more than ${describeMargin({ margin })}.`;
  return [...met, notWorse, ...describeReach(comparison.targets)];
}

function join(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
