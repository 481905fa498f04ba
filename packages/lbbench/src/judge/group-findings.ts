import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { StepKey, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { stepKey } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import { sumRequests } from "./sum-requests.js";

/** A finding and the step it was made in. */
export interface LocatedFinding {
  readonly finding: Finding;
  readonly step: StepKey;
}

/** Returns the findings of all steps, each with its step. */
export function locateFindings(steps: readonly StepResult[]): readonly LocatedFinding[] {
  return steps.flatMap((step) => step.findings.map((finding) => ({ finding, step })));
}

/**
 * Makes one finding of all that say the same of one target, whatever the level and the trial. It carries the args of
 * the worst of them, and {target, levels: "50, 100", steps, connections, trial}: `levels` and `steps` are where it was
 * found, `connections` (or `rate`, `users`) and `trial` where it was worst; {alike: 1} where none is worse than another, and the figures of all of them together as in
 * {@link sumRequests}. `kind` tells apart what must not be merged; default: code
 * and severity.
 *
 * @param isMatrix whether levels differ in their numbers of requests: then {ofRequests: "100, 1000", worstRequests} are added.
 */
export function groupFindings(
  located: readonly LocatedFinding[],
  kind: (finding: Finding) => string = kindOf,
  isMatrix = false,
): readonly Finding[] {
  const groups = groupBy(located, ({ finding, step }) => JSON.stringify([step.target, kind(finding)]));
  return [...groups.values()].map((group) => mergeGroup(group, isMatrix));
}

function kindOf({ code, severity, args }: Finding): string {
  return [code, severity, VARIANT.get(code)?.(args) ?? ""].join(" ");
}

/** Codes that come in variants which have to be told apart, because they have figures or causes of their own. */
const VARIANT: ReadonlyMap<FindingCode, (args: FindingArgs) => string> = new Map([
  ["DRIFT", (args) => (Number(args["change"]) < 0 ? "falls" : "rises")],
  ["FIGURE_DOUBTFUL", (args) => `${args["figure"]} ${args["because"]}`],
  ["REQUESTS_LOST", (args) => (Object.hasOwn(args, "counted") ? "by the balancer" : "by the engine")],
  ["LEVEL_NOT_REACHED", (args) => ["unsent", "latenessMs"].find((name) => Object.hasOwn(args, name)) ?? "opened"],
  ["PORTS_EXHAUSTED", (args) => String(args["process"])],
  ["STEP_FAILED", (args) => String(args["code"])],
]);

function mergeGroup(group: readonly LocatedFinding[], isMatrix: boolean): Finding {
  const worst = group.reduce((a, b) => (badness(b.finding) > badness(a.finding) ? b : a));
  const levels = [...new Set(group.map(({ step }) => loadValue(step.level)))].toSorted((a, b) => a - b);
  const least = Math.min(...group.map(({ finding }) => badness(finding)));
  const isRanked = BADNESS.has(worst.finding.code);
  const isAlike =
    isRanked && group.length > 1 && badness(worst.finding) - least <= ALIKE * Math.abs(badness(worst.finding));
  const { target, level, trial } = worst.step;
  const { kind, value } = loadOf(level);
  return {
    ...worst.finding,
    args: {
      ...worst.finding.args,
      target,
      levels: levels.join(", "),
      steps: new Set(group.map(({ step }) => stepKey(step))).size,
      [kind]: value,
      trial,
      ...(isMatrix ? amountsOf(group, level) : {}),
      ...(isAlike ? { alike: 1 } : {}),
      ...sumRequests(group.map(({ finding }) => finding)),
    },
  };
}

function amountsOf(group: readonly LocatedFinding[], worst: StepKey["level"]): FindingArgs {
  const amounts = new Set(group.flatMap(({ step }) => step.level.requests ?? []));
  return {
    ofRequests: [...amounts].toSorted((a, b) => a - b).join(", "),
    ...(worst.requests === undefined ? {} : { worstRequests: worst.requests }),
  };
}

/** Part of the worst by which others may be less bad for the difference to mean nothing. */
const ALIKE = 0.005;

/** How bad a finding is among those of its code; without an entry the first one found stands for all. */
const BADNESS: ReadonlyMap<FindingCode, (figure: (name: string) => number) => number> = new Map([
  ["ALL_FAILED", (figure) => figure("sent")],
  ["BODY_MISMATCH", (figure) => figure("share")],
  ["CONNECTIONS_RESET", (figure) => figure("share")],
  ["CONNECTIONS_STARVED", (figure) => 1 - figure("answered") / figure("asked")],
  ["CONNECT_ERRORS", (figure) => figure("share")],
  ["DRIFT", (figure) => Math.abs(figure("change"))],
  ["FAST_FAILURES", (figure) => figure("share")],
  ["FD_LIMIT", (figure) => figure("needed") + figure("count") + figure("used")],
  ["GENERATOR_SATURATED", (figure) => Math.max(figure("cpu"), figure("eventLoopUtilization"))],
  ["HOST_BUSY", (figure) => figure("steal")],
  ["KEEPALIVE_REFUSED", (figure) => figure("established")],
  [
    "LEVEL_NOT_REACHED",
    (figure) => {
      if (figure("planned") > 0) return figure("unsent") / figure("planned");
      return figure("asked") > 0 ? 1 - figure("opened") / figure("asked") : figure("latenessMs");
    },
  ],
  ["LITTLES_LAW", (figure) => Math.abs(figure("computed") / figure("asked") - 1)],
  ["MACHINE_SATURATED", (figure) => figure("machine")],
  ["NOT_WARM", (figure) => figure("warmupMs")],
  ["NON_2XX", (figure) => figure("share")],
  ["PORTS_EXHAUSTED", (figure) => figure("count") + figure("taken") + figure("needed")],
  ["REQUESTS_DROPPED", (figure) => figure("share")],
  ["REQUESTS_FAILED", (figure) => figure("share")],
  [
    "REQUESTS_LOST",
    (figure) => Math.abs(figure("sent") - figure("accounted")) + figure("completed") - figure("counted"),
  ],
  ["STALLS", (figure) => figure("worstMs") + figure("usual") - figure("least")],
  ["TIMEOUTS", (figure) => figure("share")],
  ["TOO_SHORT", (figure) => -figure("elapsedMs")],
  ["TRIALS_DISAGREE", (figure) => figure("spread")],
]);

function badness({ code, args }: Finding): number {
  return BADNESS.get(code)?.((name) => numberAt(args, name)) ?? 0;
}

function numberAt(args: FindingArgs, name: string): number {
  const value = args[name];
  return typeof value === "number" ? value : 0;
}
