import {
  type FindingRow,
  loadList,
  percent,
  readFigures,
  requestList,
  type Seen,
  count,
} from "../judge/finding-figures.js";
import { rowOf } from "../judge/findings.js";
import type { Finding } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";
import { capitalize } from "./plain-line.js";

/** A finding in words; plain text, names and messages in it as they came. Whoever renders it escapes it. */
interface FindingDescription {
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
 *
 * @param origin of the result: what to do about an imported one is to be done with another program. Default: `measured`.
 */
export function describeFinding(finding: Finding, origin: "measured" | "imported" = "measured"): FindingDescription {
  const row = rowOf(finding);
  if (!isKnown(row)) return describeLater(finding);
  const seen = readFigures(finding.args);
  const { title, cause, remedy } = row;
  const remedyFor = (figures: Seen): string => (typeof remedy === "string" ? remedy : remedy(figures));
  const sentence = `${row.sentence(ofAllSteps(seen))}${describeExtent(seen)}.`;
  const place = describePlace(seen);
  return {
    title,
    text: place === "" ? capitalize(sentence) : `${place}: ${sentence}`,
    cause,
    remedy: origin === "imported" ? (row.imported ?? remedyFor({})) : remedyFor(seen),
  };
}

function isKnown(row: Partial<FindingRow>): row is FindingRow {
  return row.title !== undefined;
}

/** Figures of all the steps of a finding, and what they are called of one. */
const OF_ALL = {
  allCount: "count",
  allSent: "sent",
  allShare: "share",
  allInFlight: "inFlight",
  allStatus: "status",
  allCode: "code",
} as const;

/** The counts of all the steps of a finding, where there are several. */
function ofAllSteps(seen: Seen): Seen {
  if (seen.allSent === undefined) return seen;
  const { status: _, code: __, ...others } = seen;
  const keys = Object.keys(OF_ALL) as (keyof typeof OF_ALL)[];
  const told = keys.filter((key) => seen[key] !== undefined).map((key) => [OF_ALL[key], seen[key]] as const);
  return { ...others, ...Object.fromEntries(told) };
}

/** What the levels of a finding are values of. */
function loadKindOf({ rate, users }: Seen): LoadKind {
  if (rate !== undefined) return "rate";
  return users === undefined ? "connections" : "users";
}

function describePlace(seen: Seen): string {
  const { target, ofRequests } = seen;
  if (target === undefined) return "";
  const kind = loadKindOf(seen);
  const levels = seen.levels ?? seen[kind]?.toString();
  return levels === undefined
    ? target
    : `${target} at ${kind === "users" ? "up to " : ""}${loadList(levels, kind, ofRequests)}`;
}

/** Says that the figures are those of the worst of several steps, and which one that was; where they are of all of them, how bad the worst was. */
function describeExtent(seen: Seen): string {
  const { steps = 1, levels = "", ofRequests = "", worstRequests = "?", alike, allSent, share } = seen;
  if (steps < 2) return "";
  const load = levels.includes(",") ? ` at ${count(seen[loadKindOf(seen)])}` : "";
  const where = ofRequests.includes(",") ? `${load} with ${requestList(worstRequests)}` : load;
  const all = `${count(steps)} ${where === "" ? "trials" : "steps"}`;
  // None is worse than the others.
  if (alike !== undefined) return ` (in ${all})`;
  if (allSent !== undefined) return share === undefined ? ` (in ${all})` : ` (${all}, up to ${percent(share)}${where})`;
  return ` (the worst of ${all}${where === "" ? "" : `,${where}`})`;
}

function describeLater({ code, args }: Finding): FindingDescription {
  const figures = Object.entries(args).map(([name, value]) => `${name} ${value}`);
  return {
    title: code,
    text: figures.length === 0 ? `${code}.` : `${code}: ${figures.join(", ")}.`,
    cause: "This version of lbbench does not know the finding; the result comes from a later one.",
    remedy: "Render it with the version of lbbench that made it.",
  };
}
