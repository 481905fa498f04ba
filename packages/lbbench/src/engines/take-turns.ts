/**
 * Returns what says whose turn it is, by index, in proportion to weights above 0. It is always the same order, as even as
 * it can be: after any number of turns each entry has had its share of them, more or less less than one turn. (Less than
 * one in exact arithmetic, as for whole weights; other weights are rounded like all numbers, which after a thousand million
 * turns amounts to a millionth of one.)
 *
 * An entry may have a turn that does not put it ahead by a whole one; of those that may, the one whose turn would first be
 * overdue by a whole one has it. That this never leaves one behind is R. Tijdeman, "The chairman assignment problem",
 * Discrete Mathematics 32 (1980).
 */
export function takeTurns(weights: readonly number[]): () => number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const entries = weights.map((weight, index) => ({ index, weight, taken: 0 }));
  let turn = 0;
  return () => {
    turn += 1;
    let chosen: (typeof entries)[number] | undefined;
    let overdueAt = Infinity;
    for (const entry of entries) {
      if (entry.taken * total >= turn * entry.weight) continue;
      const at = (entry.taken + 1) / entry.weight;
      if (at >= overdueAt) continue;
      chosen = entry;
      overdueAt = at;
    }
    if (chosen === undefined) throw new Error("Expected weights above 0, and at least one");
    chosen.taken += 1;
    return chosen.index;
  };
}
