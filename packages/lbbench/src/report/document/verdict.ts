import type { Block } from "./block.js";
import { describeHeadline } from "../headline.js";
import { list, markCode } from "./block.js";
import type { Section } from "../report-model.js";

/** The first screen: the verdict in a sentence, what the run shows in a few lines, and what to do next. */
export const verdict: Section = (model) => {
  const { result } = model;
  const { status } = result.verdict;
  const { verdict: text, lines, next, more } = describeHeadline(model);
  const marked = (those: readonly string[]): readonly Block[] =>
    list(those.map((line) => markCode(line, result.scenario)));
  return {
    id: "verdict",
    title: `${result.finishedAt === null ? "Verdict so far" : "Verdict"}: ${status}`,
    blocks: [
      { kind: "verdict", status, text },
      ...marked([...lines, ...(next === "" ? [] : [`Next: ${next}`])]),
      ...(more.length === 0 ? [] : [{ kind: "folded", summary: "More of this run", blocks: marked(more) } as const]),
    ],
  };
};
