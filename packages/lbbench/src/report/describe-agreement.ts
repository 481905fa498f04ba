import type { TargetJudgement } from "../judge/compare-targets.js";
import { speedMetric } from "../judge/metrics.js";
import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
import { describePlaces } from "./describe-level.js";
import { compareOf } from "./reference-comparison.js";

/** Two systems, compared under the load of one engine. */
interface EngineView {
  readonly engine: string;
  readonly judgement: TargetJudgement;
}

/**
 * Says of two systems that several engines compared, each under its own load, where the engines come to the same conclusion and
 * where they contradict each other; plain text. Nothing where no two systems were compared under several engines.
 */
export function describeAgreements(result: Result): readonly string[] {
  const { targets, engine } = result.scenario;
  const byName = new Map(targets.map((target) => [target.name, target]));
  const engineOf = (name: string): string => byName.get(name)?.engine?.name ?? engine.name;
  const systemOf = (name: string): string =>
    JSON.stringify([byName.get(name)?.server ?? name, byName.get(name)?.options ?? {}]);
  const views = compareOf(result).targets.filter(
    ({ reference, other }) => engineOf(reference) === engineOf(other) && systemOf(reference) !== systemOf(other),
  );
  const byPair = groupBy(views, ({ reference, other }) => JSON.stringify([systemOf(reference), systemOf(other)]));
  return [...byPair.values()]
    .map((judgements) => judgements.map((judgement) => ({ engine: engineOf(judgement.other), judgement })))
    .filter((group) => new Set(group.map((view) => view.engine)).size > 1)
    .map(describeAgreement);
}

function describeAgreement(views: readonly EngineView[]): string {
  const levels = views[0]?.judgement.levels.map(({ level }) => level) ?? [];
  const conclusions = groupBy(levels, (level) => concludeAt(level, views));
  const parts = [...conclusions].map(([conclusion, those]) => {
    const isEverywhere = those.length === levels.length && levels.length > 1;
    const everywhere = isNothing(conclusion) ? "any level" : "every level";
    return `${conclusion} at ${isEverywhere ? everywhere : describePlaces(those, levels)}`;
  });
  const names = views.map(({ judgement: { reference, other } }) => `${other} against ${reference}`);
  return `Do ${listEngines(views)} agree? ${names.join(", and ")}: ${parts.join("; ")}.`;
}

const NOTHING = { ofTwo: "neither can tell a difference", ofMany: "none can tell a difference" } as const;

function isNothing(conclusion: string): boolean {
  return conclusion === NOTHING.ofTwo || conclusion === NOTHING.ofMany;
}

/** What the engines say of a level, in words that are the same for levels of which the same is to be said. */
function concludeAt(level: Level, views: readonly EngineView[]): string {
  const told = views.flatMap(({ engine, judgement: { levels } }) => {
    const row = levels.find((one) => levelKey(one.level) === levelKey(level));
    const verdict = row?.[speedMetric(level)].verdict;
    return verdict === "faster" || verdict === "slower" ? [{ engine, verdict }] : [];
  });
  const [first, ...others] = told;
  if (first === undefined) return views.length === 2 ? NOTHING.ofTwo : NOTHING.ofMany;
  if (others.some(({ verdict }) => verdict !== first.verdict)) return "they contradict each other";
  if (told.length < views.length) {
    const names = [...new Set(told.map(({ engine }) => engine))];
    const silent = views.length - told.length === 1 ? "the other" : "the others";
    return names.length === 1
      ? `only ${names.join()} says ${first.verdict}`
      : `${names.join(" and ")} say ${first.verdict}, ${silent} cannot tell`;
  }
  return `${views.length === 2 ? "both" : "all"} say ${first.verdict}`;
}

function listEngines(views: readonly EngineView[]): string {
  const names = [...new Set(views.map(({ engine }) => engine))];
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
