import { describeBreaks } from "../describe-breaks.js";
import { describeAgreements } from "../compare-sentences.js";
import { describeLimits } from "../describe-limits.js";
import { describeSearches } from "../describe-search.js";
import { describeComparisons, describePeaks, describeVerdict } from "../headline.js";
import { list } from "./block.js";
import type { Section } from "../report-model.js";
import { markCode } from "./mark-code.js";

/** The verdict in a sentence, then what the run says of each target: first what it did, then how it compares. */
export const verdict: Section = (model) => {
  const { result } = model;
  const { status } = result.verdict;
  const lines = [
    ...describeLimits(result),
    ...describeSearches(result, true),
    // Of a search, the table of limits has what was measured at each.
    ...(result.search === undefined ? describePeaks(model) : []),
    ...describeBreaks(model),
    ...describeComparisons(model),
    ...describeAgreements(model),
  ];
  return {
    id: "verdict",
    title: `${result.finishedAt === null ? "Verdict so far" : "Verdict"}: ${status}`,
    blocks: [
      { kind: "verdict", status, text: describeVerdict(model) },
      ...list(lines.map((line) => markCode(line, result.scenario))),
    ],
  };
};
