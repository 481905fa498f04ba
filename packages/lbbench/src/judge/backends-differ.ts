import type { Finding, Severity } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { backendGroups, expectedShares, meanMsOf } from "../stats/backend-shares.js";
import { median, sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { knownBottleneck } from "./bottleneck.js";
import { groupFindings, locate, type LocatedFinding } from "./group-findings.js";
import { found, type Run } from "./found.js";

/** Answers of a backend in a step from which on their mean says something. */
const FEWEST_ANSWERS = 50;

/** Times the mean of the others, and ms above it, from which on a backend is slow. */
const SLOWER = 2;
const SLOWER_MS = 1;

/** Part of its due share by which the share of a backend is off, and that in standard deviations of a draw for each request. */
const OFF = 0.2;
const BEYOND_CHANCE = 5;

/** Policies that give each backend its weight, whatever it does with it. */
const BY_WEIGHT: ReadonlySet<unknown> = new Set(["round-robin", "random"]);

/**
 * `BACKEND_DIFFERS` of a backend that takes far longer than the others (the median of their means), and of the one whose share of the requests
 * is the furthest from its weight; for each target, with its levels.
 */
export function findBackendsThatDiffer({ scenario, steps }: Run): readonly Finding[] {
  // Where policies are compared, backends differ on purpose.
  if (scenario.policies !== undefined) return [];
  return [...groupBy(steps, ({ target }) => target)].flatMap(([name, own]) => {
    const target = scenario.targets.find((one) => one.name === name);
    // A fault makes backends differ on purpose.
    const told = own.filter(({ state, faults }) => state === "completed" && faults === undefined);
    return groupFindings(
      [judgeTimes, judgeShares].flatMap((judge) => keepRepeated(told.flatMap((step) => judge(step, target)))),
    );
  });
}

/** What one step says of one backend: nothing, where it is like the others. */
interface Judgement {
  readonly process: string;
  readonly step: StepResult;
  readonly findings: readonly Finding[];
}

function sharesOf({ measurement }: StepResult) {
  const shares = Object.entries(measurement?.backends ?? {}).map(([name, share]) => ({ name, ...share }));
  return { shares, total: sumOf(shares, ({ requests }) => requests) };
}

function judgeTimes(step: StepResult, target: Target | undefined): readonly Judgement[] {
  const { shares, total } = sharesOf(step);
  const means = shares.flatMap((share) => {
    const ms = meanMsOf(share);
    return ms === undefined || (share.answered?.count ?? 0) < FEWEST_ANSWERS ? [] : [{ ...share, ms }];
  });
  if (means.length < 2) return [];
  return means.map((one) => {
    const { name: process, requests, ms } = one;
    const othersMs = median(means.filter((other) => other !== one).map((other) => other.ms));
    const isSlow = ms >= SLOWER * othersMs && ms >= othersMs + SLOWER_MS;
    const args = { process, ms, othersMs, share: requests / total, ...policyOf(target) };
    return { process, step, findings: isSlow ? found("BACKEND_DIFFERS", severityOf(target), args) : [] };
  });
}

function judgeShares(step: StepResult, target: Target | undefined): readonly Judgement[] {
  const { shares, total } = sharesOf(step);
  if (total === 0 || shares.length < 2 || !BY_WEIGHT.has(target?.options["policy"])) return [];
  const names = shares.map(({ name }) => name);
  const expected = expectedShares(target, names);
  const judged = shares.map(({ name: process, requests }) => {
    const due = expected.get(process) ?? 0;
    const off = Math.abs(requests - total * due);
    const isOff = off > OFF * total * due && off > BEYOND_CHANCE * Math.sqrt(total * due * (1 - due));
    return { process, share: requests / total, due, times: isOff ? Math.abs(Math.log(requests / total / due)) : 0 };
  });
  // What one lacks the others have: that is no finding about each of them.
  const most = Math.max(...judged.map(({ times }) => times));
  return judged.map(({ times, ...one }) => {
    const isMost = times > 0 && times === most;
    const findings = isMost ? found("BACKEND_DIFFERS", severityOf(target), { ...one, ...policyOf(target) }) : [];
    return { process: one.process, step, findings };
  });
}

function policyOf(target: Target | undefined): { readonly policy?: string } {
  const policy = target?.options["policy"];
  return typeof policy === "string" ? { policy } : {};
}

/** A backend that is given other work may differ. Where they are only URLs, nothing is known to be different. */
function severityOf(target: Target | undefined): Severity {
  const kinds = backendGroups(target?.options["backends"]).map(({ server, options }) =>
    JSON.stringify([server, { ...options, url: undefined }]),
  );
  return new Set(kinds).size > 1 ? "info" : "warning";
}

/**
 * What is found of a backend in most trials of a level, at two levels or more where it can be judged at so many: a pause of the machine
 * may look like that in one step. One step alone is enough where neither machine nor backends were at their limit.
 */
function keepRepeated(judgements: readonly Judgement[]): readonly LocatedFinding[] {
  return [...groupBy(judgements, ({ process }) => process).values()].flatMap((ofBackend) => {
    const places = [...groupBy(ofBackend, ({ step }) => placeKey(step)).values()];
    const told = places.flatMap((trials) => {
      const those = trials.filter(({ findings }) => findings.length > 0);
      return those.length > trials.length / 2 ? [those] : [];
    });
    const [first, ...more] = told.flat();
    // Where machine or backends are at their limit, requests wait at one backend or another by chance.
    const isFull = knownBottleneck(first?.step.usage).some((one) => one === "machine" || one === "backend");
    const isRepeated = more.length > 0 || (first !== undefined && !isFull);
    if (told.length < Math.min(2, places.length) || !isRepeated) return [];
    return told.flat().flatMap(({ step, findings }) => locate(step, findings));
  });
}
