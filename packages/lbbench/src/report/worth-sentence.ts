import type { LevelJudgement, TargetJudgement } from "../judge/compare-targets.js";
import { describeLoad } from "./describe-level.js";
import { formatChange, formatTime } from "./format-number.js";

/** A gain of throughput below this part of it is not worth another process. */
const WORTH = 0.05;

/** A level of connections at which both targets made throughput. */
interface Gain {
  readonly row: LevelJudgement;
  readonly change: number;
}

/**
 * Says whether another target is worth having in place of the reference: from which load on it makes at least 5 % more throughput, and what
 * it costs with one connection. Plain text; empty where the levels are not at least two of connections, from one on.
 *
 * @param trials of each level; one is said, because nothing can be claimed of it.
 */
export function describeWorth({ reference, other, levels }: TargetJudgement, trials: number): string {
  const gains = levels
    .flatMap((row): readonly Gain[] => {
      const { change } = row.throughput;
      return row.level.connections === undefined || change === null ? [] : [{ row, change }];
    })
    .toSorted((a, b) => (a.row.level.connections ?? 0) - (b.row.level.connections ?? 0));
  const [first, second] = gains;
  if (first?.row.level.connections !== 1 || second === undefined) return "";
  const once = trials === 1 ? ", measured once" : "";
  return `${describeGain(gains, reference, other)}${once}. ${describeCost(first)}`;
}

function describeGain(gains: readonly Gain[], reference: string, other: string): string {
  const from = gains.findLastIndex(({ change }) => change < WORTH) + 1;
  const helped = gains.slice(from);
  const [least] = helped;
  if (least === undefined)
    return `${other} makes no more throughput than ${reference} under the highest load (${range(gains.slice(-1))})`;
  const where = from === 0 ? "at every level" : `from ${describeLoad(least.row.level)} on`;
  return `${other} makes more throughput than ${reference} ${where} (${range(helped)})`;
}

/** What is lost with one connection, where nothing can be shared out. */
function describeCost({ row: { p50 }, change }: Gain): string {
  const longerMs = p50.other === null || p50.reference === null ? 0 : p50.other - p50.reference;
  const latency = longerMs > 0 ? `, p50 ${formatTime(longerMs)} ms longer` : "";
  return change < 0
    ? `With 1 connection: ${range([{ change }])} throughput${latency}.`
    : "With 1 connection it costs nothing.";
}

function range(gains: readonly Pick<Gain, "change">[]): string {
  const changes = gains.map(({ change }) => change);
  const [low, high] = [formatChange(Math.min(...changes)), formatChange(Math.max(...changes))];
  return low === high ? low : `${low} to ${high}`;
}
