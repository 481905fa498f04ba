import { rotate } from "./summary.mjs";
import { watched } from "./watched.mjs";

/**
 * Measures the contenders in turn, several rounds, each round in another order so that a drift of the machine falls on
 * all alike. Resolves to one object for each round, from a contender's name to its figures.
 */
export async function alternate(contenders, rounds, measure, report) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const figures = {};
    for (const contender of rotate(contenders, round)) {
      const measured = await watched(contender, () => measure(contender));
      figures[contender.name] = measured;
      report(round + 1, contender.name, measured);
    }
    results.push(figures);
  }
  return results;
}
