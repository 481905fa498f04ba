import { summarize } from "../table.mjs";
import { REFERENCE } from "./contender-list.mjs";
import { fieldOf, ratioOf } from "./summary.mjs";
import { judgeTargets } from "./targets.mjs";

const sum = (values) => values.reduce((total, value) => total + value, 0);

function summaries(rounds, fields, more = () => ({})) {
  const names = Object.keys(rounds[0] ?? {});
  const one = (name) => ({
    ...Object.fromEntries(fields.map((field) => [field, summarize(fieldOf(rounds, name, field))])),
    errors: sum(fieldOf(rounds, name, "errors")),
    ...more(name),
  });
  return Object.fromEntries(names.map((name) => [name, one(name)]));
}

/** Rounds of saturation with their medians, spreads, and ratios to the reference. */
export function summarizeSaturation(rounds) {
  const fields = ["requestsPerSecond", "contenderCpu", "othersCpu", "generatorCoreCpu"];
  const ratio = (name) => ({ ratio: ratioOf(rounds, name, REFERENCE, "requestsPerSecond") });
  return { rounds, summary: summaries(rounds, fields, ratio) };
}

/** Rounds at a fixed rate with their medians and spreads. */
export function summarizePaced(rounds) {
  const fields = ["achieved", "p50", "p99", "max", "latestTick", "contenderCpu", "othersCpu", "generatorCoreCpu"];
  const rate = (name) => ({ rate: fieldOf(rounds, name, "rate")[0] });
  return { rounds, summary: summaries(rounds, fields, rate) };
}

/** The targets held against all that was measured. */
export function summarizeTargets(saturation, paced) {
  const { half, common } = paced;
  const parts = { small: saturation.small, "100k": saturation["100k"], pacedHalf: half, pacedCommon: common };
  return judgeTargets(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part?.rounds])));
}
