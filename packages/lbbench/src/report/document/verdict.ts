import { describeLimits, describeSearches } from "../describe-search.js";
import { describeLosses } from "../faults.js";
import { describeBreaks, describePeaks, describeVerdict } from "../headline.js";
import { describeComparisons } from "../compare-sentences.js";
import { list, markCode } from "./block.js";
import type { Section } from "../report-model.js";

/** What faults cost, and the verdict in a sentence, then what the run says of each target: first how it compares, then what it did. */
export const verdict: Section = (model) => {
  const { result } = model;
  const { status } = result.verdict;
  const told = [...describeLosses(model), describeVerdict(model)].join(" ");
  const lines = [
    ...describeLimits(result),
    ...describeSearches(result, true),
    ...describeComparisons(model),
    // Of a search, the table of limits has what was measured at each.
    ...(result.search === undefined ? describePeaks(model) : []),
    ...describeBreaks(model),
  ];
  return {
    id: "verdict",
    title: `${result.finishedAt === null ? "Verdict so far" : "Verdict"}: ${status}`,
    blocks: [{ kind: "verdict", status, text: told }, ...list(lines.map((line) => markCode(line, result.scenario)))],
  };
};
