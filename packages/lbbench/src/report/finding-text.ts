import type { Finding, FindingArgs } from "../model/finding.js";
import { readFigures } from "./finding-figures.js";
import type { Figures } from "./finding-figures.js";
import { FINDING_PROSE } from "./finding-prose.js";

/** A finding in words; plain text, names and messages in it as they came. Whoever renders it escapes it. */
export interface FindingDescription {
  /** A few words, the same for every finding of the code: `Answers with an unexpected status`. */
  readonly title: string;
  /** What was seen, where, in figures: one sentence, with a full stop. */
  readonly text: string;
  /** What usually is behind it. */
  readonly cause: string;
  /** What to do next. */
  readonly remedy: string;
}

/**
 * Describes a finding of a step or of a verdict in words. A code that this version does not know, as a result file of a
 * later one may contain, is described by its name and its args.
 */
export function describeFinding(finding: Finding): FindingDescription {
  const prose = FINDING_PROSE.get(finding.code);
  if (prose === undefined) {
    return describeUnknown(finding);
  }
  const figures = readFigures(finding.args);
  const sentence = `${prose.sentence(figures)}${describeExtent(finding.args, figures)}.`;
  const place = describePlace(finding.args, figures);
  return {
    title: prose.title,
    text: place === "" ? capitalize(sentence) : `${place}: ${sentence}`,
    cause: prose.cause,
    remedy: prose.remedy,
  };
}

function describePlace(args: FindingArgs, figures: Figures): string {
  if (!Object.hasOwn(args, "target")) {
    return "";
  }
  const levels = Object.hasOwn(args, "levels") ? figures.text("levels") : figures.text("connections");
  return `${figures.text("target")} at ${levels} ${levels === "1" ? "connection" : "connections"}`;
}

/** Says that the figures are those of the worst of several steps, and which one that was. */
function describeExtent({ steps }: FindingArgs, figures: Figures): string {
  if (typeof steps !== "number" || steps < 2) {
    return "";
  }
  const several = figures.text("levels").includes(",");
  return several
    ? ` (${figures.count("steps")} steps, the worst at ${figures.text("connections")})`
    : ` (the worst of ${figures.count("steps")} trials)`;
}

function describeUnknown({ code, args }: Finding): FindingDescription {
  const figures = Object.entries(args).map(([name, value]) => `${name} ${value}`);
  return {
    title: code,
    text: figures.length === 0 ? `${code}.` : `${code}: ${figures.join(", ")}.`,
    cause: "This version of lbbench does not know the finding; the result comes from a later one.",
    remedy: "Render it with the version of lbbench that made it.",
  };
}

function capitalize(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
