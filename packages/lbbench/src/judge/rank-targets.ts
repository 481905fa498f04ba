/** Targets of a run without a reference, all of them compared with one another: what policies are worth, and what faults cost. */
import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { median, sumOf } from "../stats/descriptive.js";
import { formatFault, harms, roundRecovery } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { adjustHolm, compareTrials, judgeDifference, trialsNeeded, trialsToTell } from "../stats/trials.js";
import { asArrays, asCompared } from "./compare-trials.js";
import { doubtsBeyondChance } from "./doubts.js";
import { faultResponses } from "./fault-response.js";
import { found, type Run } from "./found.js";
import { measuredSteps, metricValue, type FaultMetric } from "./metrics.js";

/**
 * Tells the best of each group, which comes first, from the others: by a test of all pairs within the groups, corrected by Holm. All are
 * `alike` where it tells none from the best. The rank of one alone is `undefined`. `needed` are the fewest trials with which a test could tell.
 */
function rank<Of>(
  groups: readonly (readonly Of[])[],
  sidesOf: (one: Of, other: Of) => ReturnType<typeof asArrays>,
  worse: "higher" | "lower",
) {
  const pairs = groups.flatMap((own) =>
    own.flatMap((one, at) => own.slice(at + 1).map((other) => ({ one, other, sides: sidesOf(one, other) }))),
  );
  const pValues = adjustHolm(pairs.map(({ sides }) => compareTrials(...sides).pValue));
  const told = new Map(
    pairs.flatMap(({ one, other, sides }, at) => {
      const pValue = pValues[at] ?? null;
      const isTold = groups.some(([best]) => best === one) && judgeDifference(...sides, pValue) === worse;
      return isTold && pValue !== null ? [[other, pValue] as const] : [];
    }),
  );
  const rankOf = (one: Of) => {
    const [best, ...others] = groups.find((own) => own.includes(one)) ?? [];
    if (best === undefined || others.length === 0) return undefined;
    const isBest = one === best && others.some((other) => told.has(other));
    const is: "best" | "worse" | "alike" = isBest ? "best" : told.has(one) ? "worse" : "alike";
    return { is, best, pValue: told.get(one) };
  };
  return { rankOf, pairs: pairs.length, needed: trialsNeeded(Math.max(1, pairs.length)) };
}

/**
 * The share of the requests that each policy answered within the deadline, a median over the trials, the best of each balancer first, and what
 * a test tells of it. Where nothing is told, {trialsLikely} of the default: about so many trials would tell it from the best, if the
 * difference is what it seems. {because} names a finding for which a policy is not compared. Nothing of other runs.
 */
export function comparePolicies({ scenario, steps }: Run): readonly Finding[] {
  const { policies } = scenario;
  if (policies === undefined) return [];
  const all = policies.compared.flatMap(({ target, balancer, policy }) => {
    const own = steps.filter((step) => step.target === target && step.state === "completed");
    const shares = own.flatMap((step) => metricValue(step, "within") ?? []);
    const [doubt] = own.flatMap((step) => doubtsBeyondChance("within", step));
    if (shares.length === 0) return [];
    const isDefault = policy === policies.default;
    return [{ target, balancer, shares, within: median(shares), isDefault, because: doubt?.code }];
  });
  const byBalancer = [...groupBy(all, ({ balancer }) => balancer).values()].map((own) =>
    // Of equal ones the default first: there is no reason to leave it.
    own.toSorted((a, b) => b.within - a.within || Number(b.isDefault) - Number(a.isDefault)),
  );
  const { rankOf, pairs, needed } = rank(
    byBalancer.map((own) => own.filter(({ because }) => because === undefined)),
    (one, other) => [one.shares, other.shares],
    "lower",
  );
  return byBalancer.flat().flatMap((policy) => {
    const { target, balancer, shares, within, isDefault, because } = policy;
    const ranked = rankOf(policy);
    const mayTell = ranked?.is === "alike" && ranked.best !== policy && isDefault && shares.length >= needed;
    return found("POLICIES_COMPARED", "info", {
      target,
      balancer: byBalancer.length > 1 ? balancer : undefined,
      scenario: policies.scenario,
      deadlineMs: policies.withinMs,
      within,
      trials: shares.length,
      isDefault,
      because,
      withinIs: ranked && { best: "most", worse: "less", alike: "alike" }[ranked.is],
      p: ranked?.pValue,
      trialsNeeded: ranked && needed,
      trialsLikely: mayTell ? trialsToTell(ranked.best.shares, shares, pairs) : undefined,
    });
  });
}

/**
 * What all faults of a run cost each target, medians over the trials, the fewest requests lost first, and what a test tells of that; without
 * {recoveryMs} where there was none. Nothing without faults that took effect.
 */
export function compareFaultCosts({ scenario, steps }: Run): readonly Finding[] {
  // Of policies another figure tells what a fault costs.
  if (scenario.policies !== undefined || steps.every((step) => faultResponses(step).length === 0)) return [];
  const all = [...groupBy(steps, ({ target }) => target)].flatMap(([target, own]) => costsOf(target, own));
  const compared = all.filter(({ undone }) => undone === undefined);
  const [lost, recovery] = [rankCosts(compared, "lost"), rankCosts(compared, "recovery")];
  const fewestFirst = all.toSorted((a, b) => median(a.lost) - median(b.lost));
  return fewestFirst.flatMap((costs) => {
    const recoveryMs = median(costs.recovery);
    const [lostRank, recoveryRank] = [lost.rankOf(costs), recovery.rankOf(costs)];
    return found("FAULTS_COMPARED", "info", {
      target: costs.target,
      lost: median(costs.lost),
      sent: median(costs.sent),
      recoveryMs: Number.isFinite(recoveryMs) ? recoveryMs : undefined,
      trials: costs.lost.length,
      undone: costs.undone,
      lostIs: lostRank && { best: "fewest", worse: "more", alike: "alike" }[lostRank.is],
      recoveryIs: recoveryRank && { best: "first", worse: "later", alike: "alike" }[recoveryRank.is],
      trialsNeeded: compared.length < 2 ? undefined : lost.needed,
    });
  });
}

/** What the faults cost a target: of each trial, over all levels. */
function costsOf(target: string, steps: readonly StepResult[]) {
  const places = [...groupBy(steps, placeKey).values()].map(measuredSteps);
  const trials = groupBy(places.flat(), ({ trial }) => String(trial));
  const whole = [...trials.values()].filter((own) => own.length === places.length);
  if (whole.length === 0) return [];
  const ended = steps.filter(({ state }) => state !== "aborted");
  const undone = ended.flatMap((step) => step.faults ?? []).find((fault) => harms(fault) && fault.effectMs === null);
  return [
    {
      target,
      lost: whole.map((own) => sumOf(own, (step) => metricValue(step, "lost") ?? 0)),
      // The slowest, in ms; `Infinity` where one did not come.
      recovery: whole.map((own) => roundRecovery(Math.max(...own.map((step) => metricValue(step, "recovery") ?? 0)))),
      sent: whole.map((own) => sumOf(own, ({ measurement }) => measurement?.requests.sent ?? 0)),
      // So that the target is not compared.
      undone: undone && formatFault(undone),
    },
  ];
}

type Costs = ReturnType<typeof costsOf>[number];

function rankCosts(compared: readonly Costs[], metric: FaultMetric) {
  const middle = (one: Costs): number => median(one[metric]);
  // Infinity less itself is no number.
  const sorted = compared.toSorted((a, b) => (middle(a) < middle(b) ? -1 : Number(middle(a) > middle(b))));
  const byTrial = (values: readonly number[]): ReadonlyMap<number, number> => new Map(values.entries());
  const sidesOf = (one: Costs, other: Costs) =>
    asArrays(asCompared(metric, { reference: byTrial(one[metric]), other: byTrial(other[metric]) }));
  return rank([sorted], sidesOf, "higher");
}
