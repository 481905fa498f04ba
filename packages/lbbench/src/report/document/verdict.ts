import { describeHeadline } from "../headline.js";
import { list } from "./block.js";
import type { Section } from "../report-model.js";

/** The first screen: the verdict in a sentence, what the run shows in a few lines, and what to do next. */
export const verdict: Section = (model) => {
  const { result } = model;
  const { status } = result.verdict;
  const { verdict: text, lines, next, more } = describeHeadline(model);
  return {
    id: "verdict",
    title: `${result.finishedAt === null ? "Verdict so far" : "Verdict"}: ${status}`,
    blocks: [
      { kind: "verdict", status, text },
      ...list([...lines, ...(next === "" ? [] : [`Next: ${next}`])]),
      ...(more.length === 0 ? [] : [{ kind: "folded", summary: "More of this run", blocks: list(more) } as const]),
    ],
  };
};
