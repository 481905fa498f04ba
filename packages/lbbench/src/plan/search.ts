import { judgeTrial } from "../judge/judge-trial.js";
import type { Level } from "../model/level.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Decision, Search, SearchOutcome, TriedLevel } from "../model/search.js";
import { levelKey } from "../stats/identity.js";
import { defined } from "../stats/defined.js";

/**
 * Says what is known of the largest load that a target holds, how many steps were made and are left at most, and which comes next (none at
 * the end): of the level at which the walk stops for want of trials, then of the one beyond the limit, if that is asked for. Pure.
 */
export function searchTarget(target: string, history: readonly StepResult[], scenario: Scenario, search: Search) {
  const made = history.filter((step) => step.target === target && step.state !== "aborted");
  const { durationMs = 0 } = scenario.levels[0] ?? {};
  const levelAt = (value: number): Level => ({ [search.by]: value, durationMs });
  const stepsAt = (value: number): readonly StepResult[] => {
    const key = levelKey(levelAt(value));
    return made.filter(({ level }) => levelKey(level) === key).toSorted((a, b) => a.trial - b.trial);
  };
  const decide = (value: number): TriedLevel => decideLevel(value, stepsAt(value), scenario, search);
  const stepAt = (value: number): StepKey => {
    const trials = new Set(stepsAt(value).map(({ trial }) => trial));
    // One may be missing between others, because it failed and is made again.
    let trial = 1;
    while (trials.has(trial)) trial += 1;
    return { target, level: levelAt(value), trial };
  };

  // Each worker has to get a connection.
  const least = search.by === "connections" ? (scenario.engine.workers?.count ?? 1) : 1;
  const walk = walkSearch(search, least, decide);
  const { status, held, broken } = walk;
  const isFound = status === "found" && held !== null && search.beyond !== null;
  const beyond = isFound ? Math.min(search.most, Math.max(held + 1, Math.round(held * search.beyond))) : undefined;
  const outcome = { target, by: search.by, ...walk, beyond: null };
  const value = status === "unfinished" ? walk.tried.at(-1)?.value : beyond;
  if (value === undefined) return { outcome, made: made.length, left: 0 };
  const further = search.beyond === null ? 0 : 1;
  const levels = beyond === undefined ? mostLevels(search, held ?? 0, broken ?? undefined) + further : 1;
  const count = stepsAt(value).length;
  const left = Math.max(0, levels * scenario.trials - count);
  return {
    outcome: { ...outcome, beyond: beyond === undefined || count === 0 ? null : decide(beyond) },
    made: made.length,
    left,
    ...defined({ next: left === 0 ? undefined : stepAt(value) }),
  };
}

/**
 * At most how many levels a walk decides from here on, of which the next one may have been begun: the way up may end at any level,
 * and from there it halves the way between.
 */
function mostLevels(search: Search, held: number, broken: number | undefined): number {
  if (broken === undefined) {
    if (held >= search.most) return 0;
    const next = levelAbove(search, held);
    return 1 + Math.max(mostLevels(search, held, next), mostLevels(search, next, undefined));
  }
  const near = Math.max(1, search.resolution * held);
  let levels = 0;
  for (let way = broken - held; way > near; way = Math.ceil(way / 2)) levels += 1;
  return levels;
}

/** The level after one that held, while none did not; the start after none. */
function levelAbove({ start, growth, most }: Search, held: number): number {
  return held === 0 ? start : Math.min(most, Math.max(held + 1, Math.round(held * growth)));
}

/**
 * Says what the trials of one level decide: it held when as many held as are needed, and did not when that cannot come any
 * more, so that trials which cannot change it are not made.
 */
function decideLevel(
  value: number,
  steps: readonly StepResult[],
  { trials, thresholds }: Scenario,
  { needed }: Search,
): TriedLevel {
  const outcomes = steps.map((step) => judgeTrial(step, thresholds));
  const count = (what: Decision): number => outcomes.filter(({ outcome }) => outcome === what).length;
  const [held, broken, unclear] = [count("held"), count("broken"), count("unclear")];
  let decision: Decision = outcomes.length >= trials ? "unclear" : "undecided";
  if (held >= needed) decision = "held";
  else if (broken > trials - needed) decision = "broken";
  // What one trial missed another may not, and all of it says where the limit is.
  const reasons = outcomes.filter(({ outcome }) => decision !== "broken" || outcome === "broken");
  const missed = new Set(reasons.flatMap((one) => one.because ?? []));
  const because = [...missed].join(" and ");
  const isCertain = outcomes.some((one) => one.outcome === "broken" && one.doubt === undefined);
  const doubt = isCertain ? undefined : outcomes.find((one) => one.doubt !== undefined)?.doubt;
  return {
    value,
    decision,
    held,
    broken,
    unclear,
    ...defined({ because: because || undefined, doubt: doubt || undefined }),
  };
}

/**
 * Walks from level to level as far as is known, where `unfinished` says that the last one that was tried is undecided: from the
 * start upwards by the growth until a level does not hold, or downwards by halves if the start does not, then to the middle of
 * what held and what did not, until both are as near as the resolution asks, never below `least`. The same decisions give the same walk.
 */
function walkSearch(search: Search, least: number, decide: (value: number) => TriedLevel) {
  const { most, resolution } = search;
  const tried: TriedLevel[] = [];
  let held = 0;
  let broken: number | undefined;
  const end = (status: SearchOutcome["status"]) => ({ status, held: held || null, broken: broken ?? null, tried });
  for (let value = levelAbove(search, held); ;) {
    const level = decide(value);
    tried.push(level);
    if (level.decision === "undecided") return end("unfinished");
    if (level.decision === "unclear") return end("unclear");
    if (level.decision === "held") held = value;
    else broken = value;
    if (broken === undefined) {
      if (held >= most) return end("unbounded");
      value = levelAbove(search, held);
    } else {
      if (held === 0 && broken <= least) return end("nothing-held");
      if (broken - held <= Math.max(1, resolution * held)) return end("found");
      value = Math.max(least, Math.floor((held + broken) / 2));
    }
  }
}
