/** What a comparison of policies shows: which one to take, and what the default costs. */
import { chance } from "../judge/conclusion-rows.js";
import { readFigures } from "../judge/found.js";
import type { Fault } from "../model/fault.js";
import type { Finding } from "../model/finding.js";
import type { Target, ToldScenario } from "../model/scenario.js";
import { backendGroups, backendNames } from "../stats/backend-shares.js";
import { medianIfAny, sumOf } from "../stats/descriptive.js";
import { formatFault } from "../stats/faults.js";
import {
  countOf,
  formatCount,
  formatDuration,
  formatPercent,
  formatTenths,
  formatTime,
} from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { type Cell, medianLatency } from "./cells.js";
import {
  type Block,
  type Column,
  createTable,
  nameColumn,
  numberColumn,
  paragraph,
  rightColumn,
} from "./document/block.js";
import { shownFigure } from "./figures.js";
import { joinWords } from "./plain-line.js";
import { BRACKETS, reportCell, writeSpread } from "./figure-columns.js";

/** How a policy did, as the finding `POLICIES_COMPARED` tells it. */
type Success = ReturnType<typeof readSuccess>;

function readSuccess({ args }: Finding) {
  const seen = readFigures(args);
  const { target = "?", deadlineMs = 0, within = 0, trials = 1, trialsNeeded = 0 } = seen;
  return { ...seen, target, deadlineMs, within, trials, trialsNeeded, isDefault: seen.isDefault === 1 };
}

/**
 * Says for each balancer which policy to take and what the default costs, as far as the trials tell that: a line for each; plain text, names as
 * they came.
 *
 * @param conclusions the findings `POLICIES_COMPARED`, the best of each balancer first.
 */
export function describePolicies(conclusions: readonly Finding[]): readonly string[] {
  const all = conclusions.map(readSuccess);
  return [...groupBy(all, ({ balancer = "" }) => balancer)].map(([balancer, own]) =>
    [balancer === "" ? "" : `${balancer}: `, describeBalancer(own)].join(""),
  );
}

function describeBalancer(own: readonly Success[]): string {
  const sound = own.filter(({ because }) => because === undefined);
  const left = own
    .filter(({ because }) => because !== undefined)
    .map((one) => `${nameOf(one)} is not compared [${one.because}].`);
  const [best] = sound;
  if (best === undefined) return left.join(" ");
  return [...(best.withinIs === "most" ? recommend(best, sound) : tellAlike(sound)), ...left].join(" ");
}

/** `99.6 % of the requests were answered within 1 s` */
function tellSuccess({ within, deadlineMs }: Success): string {
  return `${formatPercent(within)} % of the requests were answered within ${formatDuration(deadlineMs)}`;
}

/** The policy alone: the line begins with its balancer. */
function nameOf({ target, balancer }: Success): string {
  return balancer === undefined ? target : target.replace(`${balancer}: `, "");
}

const tellShare = (one: Success): string => `${nameOf(one)} (${formatPercent(one.within)} %)`;

function recommend(best: Success, own: readonly Success[]): readonly string[] {
  const standard = own.find(({ isDefault }) => isDefault);
  const worse = own.filter(({ withinIs, isDefault }) => withinIs === "less" && !isDefault);
  const alike = own.filter((one) => one !== best && one.withinIs === "alike" && !one.isDefault);
  const medians = best.trials === 1 ? "" : `, medians of ${countOf(best.trials, "trial")}`;
  const fewer = worse.length === 0 ? [] : [`Worse: ${joinWords(worse.map(tellShare))}.`];
  const same =
    alike.length === 0 ? [] : [`The trials do not tell ${joinWords(alike.map(tellShare))} from the best policy.`];
  const rest = [...same, ...fewer];
  if (standard === undefined) return [`Take ${nameOf(best)}: ${tellSuccess(best)}${medians}.`, ...rest];
  if (standard === best) return [`Keep ${nameOf(best)}, the default: ${tellSuccess(best)}${medians}.`, ...rest];
  if (standard.withinIs === "less") {
    const [cost, share] = [best.within - standard.within, standard.within].map(formatPercent);
    const p = standard.p === undefined ? "" : `, ${chance(standard.p)}`;
    const costs = `The default, ${nameOf(standard)}, costs ${cost} points (${share} %${p}${medians}).`;
    return [`Take ${nameOf(best)}: ${tellSuccess(best)}.`, costs, ...rest];
  }
  return [
    `Keep ${nameOf(standard)}, the default: ${tellSuccess(standard)}${medians}.`,
    `The trials do not tell it from the best, ${joinWords([best, ...alike].map(tellShare))}.`,
    ...fewer,
  ];
}

function tellAlike(own: readonly Success[]): readonly string[] {
  const [best] = own as readonly [Success, ...Success[]];
  const { trials, trialsNeeded } = best;
  if (own.length === 1) return [`${nameOf(best)}: ${tellSuccess(best)}.`];
  const medians = trials === 1 ? "" : ` (medians of ${countOf(trials, "trial")})`;
  const isSame = new Set(own.map(({ within }) => formatPercent(within))).size === 1;
  const shares = isSame
    ? [`${joinWords(own.map(nameOf))} each ${formatPercent(best.within)} %`]
    : own.map((one) => `${nameOf(one)} ${formatPercent(one.within)} %`);
  const told = `Answered within ${formatDuration(best.deadlineMs)}: ${shares.join(", ")}${medians}.`;
  if (trials < trialsNeeded) {
    return [`${told} ${trials === 1 ? "One trial" : countOf(trials, "trial")}: a test needs --trials ${trialsNeeded}.`];
  }
  const likely = own.find(({ trialsLikely }) => trialsLikely !== undefined)?.trialsLikely;
  const more = likely === undefined ? [] : [`So small a difference would take about --trials ${formatCount(likely)}.`];
  return [`The trials tell no difference between the policies. ${told}`, ...more];
}

/** Backends that are alike: that have the same server and options, and the same faults. */
export interface BackendKind {
  /** `backend-1`, `each of backend-2 to backend-11`. */
  readonly label: string;
  readonly names: readonly string[];
}

/** Returns the kinds of backends of a target, in the order of the first of each; those to which nothing is done are one kind. */
export function backendKinds(target: Target | undefined, faults: readonly Fault[]): readonly BackendKind[] {
  const groups = backendGroups(target?.options["backends"]);
  const names = backendNames(groups);
  const all = groups.flatMap(({ server, options }, group) =>
    (names[group] ?? []).map((name) => {
      const own = faults.filter(({ part }) => part === name).map(formatFault);
      return { name, kind: JSON.stringify([server, options, own]) };
    }),
  );
  return [...groupBy(all, ({ kind }) => kind).values()].map((those) => {
    const own = those.map(({ name }) => name);
    return { label: labelOf(own, names.flat()), names: own };
  });
}

/** Names in the order of all of them, as a range where none is left out. */
function labelOf(names: readonly string[], all: readonly string[]): string {
  const [first = "", ...others] = names;
  if (others.length === 0) return first;
  const isRange = all.indexOf(names.at(-1) ?? "") - all.indexOf(first) === others.length;
  return `each of ${isRange && others.length > 1 ? `${first} to ${names.at(-1)}` : joinWords(names)}`;
}

/** How each policy did, the best first; nothing of other runs. */
export function policyTable({ policies }: ToldScenario, cells: readonly Cell[]): readonly Block[] {
  const within = shownFigure("within_share");
  const rows = cells.filter((cell) => within.values(cell).length > 0);
  if (policies === undefined || rows.length === 0) return [];
  const latency = (key: "p50" | "p99" | "p999", name: string = key): Column<Cell> =>
    numberColumn(`${name} (ms)`, (cell) => medianLatency(cell, key), formatTime, "of ok responses");
  // There where some row tells it.
  const known = (...[head, of, ...more]: Parameters<typeof numberColumn<Cell>>): readonly Column<Cell>[] =>
    rows.some((cell) => of(cell) !== null) ? [numberColumn(head, of, ...more)] : [];
  const columns: readonly Column<Cell>[] = [
    nameColumn("Policy", ({ target }) => target),
    rightColumn(
      `Within ${formatDuration(policies.withinMs)} (%)`,
      (cell) => reportCell(writeSpread(within.values(cell), formatPercent)),
      "of all requests that were due, those answered ok within the deadline",
    ),
    latency("p50"),
    latency("p99"),
    latency("p999", "p99.9"),
    numberColumn("Failed (%)", shownFigure("failed_share").of, formatPercent),
    ...known(
      "Attempts a request",
      attemptsOf,
      (attempts) => attempts.toFixed(3),
      "requests that backends were given, also again after a failure",
    ),
    ...known(
      "Most in flight",
      mostInFlight,
      formatTenths,
      "the most requests that one backend had at a time, of ten looks a second",
    ),
  ];
  const isTimed = rows.some(({ level }) => level.durationMs !== undefined);
  const waited = isTimed ? " Requests still open when the time was over were waited for." : "";
  const lead = `Scenario ${policies.scenario}.${waited}`;
  const best = rows.toSorted((a, b) => (within.of(b) ?? 0) - (within.of(a) ?? 0));
  return [
    createTable({ caption: "Policies", lead }, columns, best),
    ...(rows.some((cell) => within.values(cell).length > 1) ? [paragraph(BRACKETS)] : []),
  ];
}

/** Requests that backends were given for each that was sent, over all trials; `null` where that is not counted. */
function attemptsOf({ measurements }: Cell): number | null {
  const counted = measurements.filter(({ backends }) => backends !== undefined);
  const sent = sumOf(counted, ({ requests }) => requests.sent);
  const given = counted.flatMap(({ backends = {} }) => Object.values(backends));
  return sent === 0 ? null : sumOf(given, ({ requests }) => requests) / sent;
}

/** The most requests that one backend was seen to have, a median over the trials; `null` where that is not counted. */
function mostInFlight({ measurements }: Cell): number | null {
  const most = measurements.flatMap(({ slices }) => {
    const looks = Object.values(slices?.inFlight ?? {}).flatMap((own) => own.flatMap((count) => count ?? []));
    return looks.length === 0 ? [] : [Math.max(...looks)];
  });
  return medianIfAny(most) ?? null;
}
