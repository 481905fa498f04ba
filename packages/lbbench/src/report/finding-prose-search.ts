import type { FindingCode } from "../model/finding.js";
import { describeMiss } from "./describe-miss.js";
import type { Figures } from "./finding-figures.js";
import type { FindingProse } from "./finding-figures.js";

/** The words for findings about what a search found. */
export const SEARCH_PROSE = {
  LIMIT_DOUBTFUL: {
    title: "The limit may not be the target's",
    sentence: (of) => `${missOf(of)}, but ${of.text("doubt")} says that the figure means less than it seems`,
    cause: "The load generator or the machine was at its limit as well, and what it did to the target cannot be told.",
    remedy: "Fix its cause (more --generators, another machine), then search again.",
  },
  LIMIT_FOUND: {
    title: "The limit was found",
    sentence: (of) => `the largest load that held; at ${of.count("broken")}, ${missOf(of)}`,
    cause: "The search went up until a level did not hold, then halved the way between.",
    remedy: "Nothing.",
  },
  LIMIT_NOT_FOUND: {
    title: "The limit was not found",
    sentence: (of) => NOT_FOUND.get(of.text("reason"))?.(of) ?? `the search ended: ${of.text("reason")}`,
    cause: "The target holds more than was tried, the numbers of a level do not decide, or the search was cut short.",
    remedy: (of) => FIND.get(of.text("reason")) ?? "Raise --most, or go on with --resume.",
  },
  NOTHING_HELD: {
    title: "Not even the smallest load held",
    sentence: (of) => `not even this held: ${missOf(of)}`,
    cause: "The threshold asks for more than the target does at rest, or the target does not work.",
    remedy: "Request the URL once by hand, then set the thresholds to what the target has to do.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

function missOf(of: Figures): string {
  return describeMiss(of.text("because"));
}

const NOT_FOUND: ReadonlyMap<string, (of: Figures) => string> = new Map([
  ["unbounded", () => "the largest load that was tried held, so the limit is above it"],
  ["unclear", (of: Figures) => `it cannot be said whether this held, because of ${of.text("because")}`],
  ["unfinished", () => "the search was cut short here"],
]);

/** What to do to find it all the same. */
const FIND: ReadonlyMap<string, string> = new Map([
  ["unbounded", "Raise --most to find it."],
  ["unclear", "Fix the cause named above, then search again."],
  ["unfinished", "Go on with --resume."],
]);
