import { type FindingRow, loadList, percent, requestList, count } from "../judge/finding-figures.js";
import { readFigures, type Seen } from "../judge/found.js";
import { rowOf } from "../judge/findings.js";
import type { Finding, FindingArgs } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";
import { groupBy } from "../stats/group-by.js";
import { LOAD_KINDS } from "../stats/load.js";
import { capitalize, joinWords } from "./plain-line.js";

/** A finding in words; plain text, names and messages in it as they came. A renderer escapes it. */
interface FindingDescription {
  readonly title: string;
  /** What was seen, where, in figures: one sentence, with a full stop. */
  readonly text: string;
  readonly cause: string;
  readonly remedy: string;
}

type Origin = "measured" | "imported";

/** What several findings of one code and severity say. */
interface KindDescription extends Pick<Finding, "code" | "severity">, Pick<FindingDescription, "title" | "cause"> {
  /** A line for each place: a sentence, or several of one place. */
  readonly texts: readonly string[];
  /** Each once. */
  readonly remedies: readonly string[];
}

/**
 * Describes findings in as few lines as it takes, by severity and code, in order of first appearance. What is the same of several faults,
 * or of several targets, is said once and names them all. All that is said of one place shares a line.
 *
 * @param targets how many the run has: what holds of all of them is said without their names.
 */
export function describeFindings(
  findings: readonly Finding[],
  targets: number,
  origin: Origin = "measured",
): readonly KindDescription[] {
  const kinds = groupBy(findings, ({ severity, code }) => `${severity} ${code}`);
  return [...kinds.values()].flatMap((those): readonly KindDescription[] => {
    const ofFaults = joinAlike(those, "fault", (faults) => faults.join(", "));
    const joined = joinAlike(ofFaults, "target", (names) =>
      names.length > 2 && names.length === targets ? `All ${count(targets)} targets` : joinWords(names),
    ).map((finding) => findWords(finding, origin));
    const [first] = those;
    const [words] = joined;
    if (first === undefined || words === undefined) return [];
    const texts = [...groupBy(joined, ({ place }) => place)].map(([place, ofPlace]) =>
      at(place, ofPlace.map(({ said }, index) => (index === 0 ? said : capitalize(said))).join(" ")),
    );
    const remedies = new Set(those.map((finding) => findWords(finding, origin).remedy));
    return [{ ...words, code: first.code, severity: first.severity, texts, remedies: [...remedies] }];
  });
}

/** Makes one finding of all that differ in one word alone, which becomes that of all of them. What has figures stays apart. */
function joinAlike(
  findings: readonly Finding[],
  name: "fault" | "target",
  join: (words: readonly string[]) => string,
): readonly Finding[] {
  const alike = groupBy(findings, (finding) => {
    const { place, said } = findWords(withArgs(finding, { [name]: "" }));
    const isOwn = finding.args[name] === undefined || hasFigures(finding);
    return JSON.stringify(isOwn ? finding.args : [place, said]);
  });
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const words = new Set([first, ...others].map(({ args }) => String(args[name])));
    return words.size === 1 ? [first] : [withArgs(first, { [name]: join([...words]) })];
  });
}

/** Args that tell where a finding was made, and of how many steps it is. */
const OF_PLACE: ReadonlySet<string> = new Set([...LOAD_KINDS, "trial", "steps", "ofSteps", "ofLevels", "alike"]);

function hasFigures({ args }: Finding): boolean {
  return Object.entries(args).some(([name, value]) => typeof value === "number" && !OF_PLACE.has(name));
}

function withArgs({ args, ...finding }: Finding, others: FindingArgs): Finding {
  return { ...finding, args: { ...args, ...others } };
}

/**
 * Describes a finding in words; a code that this version does not know by its name and its args.
 *
 * @param origin of the result: what to do about an imported one is to be done with another program. Default: `measured`.
 */
export function describeFinding(finding: Finding, origin: Origin = "measured"): FindingDescription {
  const { place, said, title, cause, remedy } = findWords(finding, origin);
  return { title, text: at(place, said), cause, remedy };
}

/** `nginx at 50 connections: it was slow.`, or without a place `It was slow.` */
function at(place: string, said: string): string {
  return place === "" ? capitalize(said) : `${place}: ${said}`;
}

/** What a finding says, in pieces. */
interface FindingWords extends Omit<FindingDescription, "text"> {
  readonly place: string;
  /** A sentence, with in which of several steps that was. */
  readonly said: string;
}

function findWords(finding: Finding, origin: Origin = "measured"): FindingWords {
  const row = rowOf(finding);
  if (!isKnown(row)) return describeLater(finding);
  const seen = readFigures(finding.args);
  const { title, cause, remedy } = row;
  const remedyFor = (figures: Seen): string =>
    typeof remedy === "string" ? remedy : remedy(figures, finding.severity);
  return {
    title,
    place: row.tellsPlace ? (seen.target ?? "") : describePlace(seen),
    said: `${row.sentence(ofAllSteps(seen))}${describeExtent(seen)}.`,
    cause,
    remedy: origin === "imported" ? (row.imported ?? remedyFor({})) : remedyFor(seen),
  };
}

function isKnown(row: Partial<FindingRow>): row is FindingRow {
  return row.title !== undefined;
}

/** What is told of all the steps of a finding together, as `allCount`. */
const OF_ALL = ["count", "sent", "finished", "share", "inFlight", "status", "code", "recoveryMs", "slowestMs"] as const;

/** The counts of all the steps of a finding, where there are several, without what is of the worst alone. */
function ofAllSteps(seen: Seen): Seen {
  if (seen.allSent === undefined) return seen;
  const { status: _, code: __, recoveryMs: ___, ...others } = seen;
  const told = OF_ALL.map((name) => [name, seen[`all${capitalize(name)}` as `all${Capitalize<typeof name>}`]] as const);
  return { ...others, ...Object.fromEntries(told.filter(([, value]) => value !== undefined)) };
}

function loadKindOf(seen: Seen): LoadKind {
  // New connections at a rate make a rate of requests, too.
  return (["connectionRate", ...LOAD_KINDS] as const).find((kind) => seen[kind] !== undefined) ?? "connections";
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

/** Says that the figures are those of the worst of several steps, or levels, and which one that was; where they are of all of them, how bad the worst was. */
function describeExtent(seen: Seen): string {
  const { steps = 1, ofSteps = steps, ofLevels = 1, levels = "", ofRequests = "", worstRequests = "?" } = seen;
  const { alike, allSent, share } = seen;
  const load = levels.includes(",") ? ` at ${count(seen[loadKindOf(seen)])}` : "";
  if (ofLevels > 1 && alike === undefined)
    return ` (the worst of ${count(ofLevels)} levels${load === "" ? "" : `,${load}`})`;
  if (ofSteps < 2) return "";
  const where = ofRequests.includes(",") ? `${load} with ${requestList(worstRequests)}` : load;
  const those = where === "" ? "trials" : "steps";
  const among = `${count(steps)} ${ofSteps > steps ? `of ${count(ofSteps)} ` : ""}${those}`;
  // None is worse than the others.
  if (steps < 2 || alike !== undefined) return ` (in ${among})`;
  if (allSent !== undefined)
    return share === undefined ? ` (in ${among})` : ` (${among}, up to ${percent(share)}${where})`;
  return ` (the worst of ${count(steps)} ${those}${where === "" ? "" : `,${where}`})`;
}

function describeLater({ code, args }: Finding): FindingWords {
  const figures = Object.entries(args).map(([name, value]) => `${name} ${value}`);
  return {
    title: code,
    ...(figures.length === 0 ? { place: "", said: `${code}.` } : { place: code, said: `${figures.join(", ")}.` }),
    cause: "This version of lbbench does not know the finding; the result comes from a later one.",
    remedy: "Render it with the version of lbbench that made it.",
  };
}
