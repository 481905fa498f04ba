import { summarize } from "../table.mjs";

/** What `field` was for a contender in each round that has it. A round maps names to figures. */
export function fieldOf(rounds, name, field) {
  return rounds.map((round) => round[name]?.[field]).filter((value) => Number.isFinite(value));
}

/**
 * A contender's figure divided by another's in the same round, summarized: a drift of the machine from round to round
 * falls on both alike. `undefined` when no round has both.
 */
export function ratioOf(rounds, name, reference, field) {
  const both = rounds.filter((round) => Number.isFinite(round[name]?.[field]) && round[reference]?.[field] > 0);
  return summarize(both.map((round) => round[name][field] / round[reference][field]));
}

/** The name with the best median of `field`: the highest, or with `lowest` the lowest. `undefined` when none has one. */
export function bestOf(rounds, names, field, { lowest = false } = {}) {
  const sign = lowest ? -1 : 1;
  let best;
  for (const name of names) {
    const figure = summarize(fieldOf(rounds, name, field))?.median;
    if (figure !== undefined && (best === undefined || sign * figure > sign * best.figure)) best = { name, figure };
  }
  return best?.name;
}

/** The list begun `by` places further on, so that every round has another order. */
export function rotate(list, by) {
  const from = by % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
}
