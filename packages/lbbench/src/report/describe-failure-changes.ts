import type { TargetJudgement } from "../judge/compare-targets.js";
import { METRIC_WORDS } from "./compare-words.js";
import { describePlaces } from "./describe-level.js";

const WORDS = METRIC_WORDS.filter(({ key }) => key === "errors");

/**
 * Says where one target has more failed requests than another, or fewer, by more than noise: `fewer failed requests at 40 connections
 * (-61.2 points)`. A part for each; none where nothing is known.
 */
export function describeFailureChanges({ levels }: TargetJudgement): readonly string[] {
  return WORDS.flatMap((words) =>
    [
      { verdict: "more", name: words.worse },
      { verdict: "fewer", name: words.better },
    ].flatMap(({ verdict, name }) => {
      const those = levels.filter(({ errors }) => errors.verdict === verdict);
      const sizes = those.flatMap(({ errors }) => errors.change ?? []).toSorted((a, b) => Math.abs(a) - Math.abs(b));
      const [least, most] = [sizes[0], sizes.at(-1)];
      if (least === undefined || most === undefined) return [];
      const [from, to] = [words.change(least), words.change(most)];
      const where = describePlaces(
        those.map(({ level }) => level),
        levels.map(({ level }) => level),
      );
      return [`${name} at ${where} (${from === to ? from : `${from} to ${to}`})`];
    }),
  );
}
