import type { Finding } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { defined } from "../stats/defined.js";
import { median } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { adjustHolm, compareTrials, judgeDifference, trialsNeeded, trialsToTell } from "../stats/trials.js";
import { doubtsAbout } from "./doubts.js";
import { metricValue } from "./metrics.js";
import { found } from "./step-rule.js";

type Compared = NonNullable<ToldScenario["policies"]>;

/** A policy of a balancer, and the share of requests that it answered within the deadline: of each trial. */
interface Success extends Pick<Compared["compared"][number], "target" | "balancer"> {
  readonly shares: readonly number[];
  readonly isDefault: boolean;
  /** What makes a share doubtful, so that the policy is not compared. */
  readonly doubt: string | undefined;
}

/** Two policies of one balancer; `one` is not worse by its median. */
interface Pair {
  readonly one: Success;
  readonly other: Success;
  readonly pValue: number | null;
}

/**
 * `POLICIES_COMPARED` {target, balancer, scenario, deadlineMs, within, trials} for each policy, the best of each balancer first: the share of the
 * requests that it answered within the deadline, a median over the trials; {isDefault: 1} of the one that balancers take where none is
 * chosen. Of several policies of a balancer with {withinIs: "most" | "less" | "alike"}, as an exact test of all pairs, corrected by Holm, tells
 * it from the best one, with {p} where it is less; and {trialsNeeded}, with fewer of which no test could tell. Where nothing is told,
 * {trialsLikely} of the default: about so many trials would tell it from the best, if the difference is what it seems. {because} names a
 * finding for which a policy is not compared. Nothing of other runs.
 */
export function comparePolicies({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly Finding[] {
  const { policies } = scenario;
  if (policies === undefined) return [];
  const all = policies.compared.flatMap((one) => successOf(one, policies, steps));
  const byBalancer = [...groupBy(all, ({ balancer }) => balancer).values()].map(bestFirst);
  const pairs = testPairs(byBalancer.map((own) => own.filter(({ doubt }) => doubt === undefined)));
  const needed = trialsNeeded(Math.max(1, pairs.length));
  return byBalancer.flatMap((own) => {
    const sound = own.filter(({ doubt }) => doubt === undefined);
    const [best] = sound;
    const tested = pairs.filter(({ one }) => one === best);
    const worse = tested.filter(
      ({ one, other, pValue }) => judgeDifference(one.shares, other.shares, pValue) === "lower",
    );
    return own.flatMap((success) => {
      const { target, balancer, shares, isDefault, doubt } = success;
      const told = worse.find(({ other }) => other === success);
      const isBest = success === best && worse.length > 0;
      const isCompared = sound.length > 1 && doubt === undefined;
      const mayTell = isCompared && isDefault && success !== best && told === undefined && shares.length >= needed;
      return found("POLICIES_COMPARED", "info", {
        target,
        ...defined({ balancer: byBalancer.length > 1 ? balancer : undefined }),
        scenario: policies.scenario,
        deadlineMs: policies.withinMs,
        within: median(shares),
        trials: shares.length,
        ...defined({
          isDefault: isDefault ? 1 : undefined,
          because: doubt,
          withinIs: isCompared ? (isBest ? "most" : told === undefined ? "alike" : "less") : undefined,
          p: told?.pValue ?? undefined,
          trialsNeeded: isCompared ? needed : undefined,
          trialsLikely: mayTell && best ? trialsToTell(best.shares, shares, pairs.length) : undefined,
        }),
      });
    });
  });
}

function successOf(
  { target, balancer, policy }: Compared["compared"][number],
  policies: Compared,
  steps: readonly StepResult[],
): readonly Success[] {
  const own = steps.filter((step) => step.target === target && step.state === "completed");
  const shares = own.flatMap((step) => metricValue(step, "within") ?? []);
  const [doubt] = own.flatMap((step) => doubtsAbout("within", step)).filter(({ bound }) => bound !== "chance");
  if (shares.length === 0) return [];
  return [{ target, balancer, shares, isDefault: policy === policies.default, doubt: doubt?.code }];
}

/** Of equal ones the default first: there is no reason to leave it. */
function bestFirst(all: readonly Success[]): readonly Success[] {
  return all.toSorted((a, b) => median(b.shares) - median(a.shares) || Number(b.isDefault) - Number(a.isDefault));
}

/** Tests all pairs of each balancer, corrected for those of all balancers. */
function testPairs(byBalancer: readonly (readonly Success[])[]): readonly Pair[] {
  const pairs = byBalancer.flatMap((own) =>
    own.flatMap((one, at) => own.slice(at + 1).map((other) => ({ one, other }))),
  );
  const pValues = adjustHolm(pairs.map(({ one, other }) => compareTrials(one.shares, other.shares).pValue));
  return pairs.map((pair, at) => ({ ...pair, pValue: pValues[at] ?? null }));
}
