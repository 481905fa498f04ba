import type { Finding, FindingArgs } from "../model/finding.js";
import type { LoadKind } from "../model/level.js";
import { describeRequests, loadWords, type LoadWords } from "./describe-level.js";
import { type Figures, readFigures } from "./finding-figures.js";
import { FINDING_PROSE } from "./finding-prose.js";
import { IMPORTED_REMEDIES } from "./imported-remedies.js";
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
  const prose = FINDING_PROSE.get(finding.code);
  if (prose === undefined) {
    return describeUnknown(finding);
  }
  const figures = readFigures(finding.args);
  const sentence = `${prose.sentence(figures)}${describeExtent(finding.args, figures)}.`;
  const place = describePlace(finding.args, figures);
  const remedy = (origin === "imported" ? IMPORTED_REMEDIES.get(finding.code) : undefined) ?? prose.remedy;
  return {
    title: prose.title,
    text: place === "" ? capitalize(sentence) : `${place}: ${sentence}`,
    cause: prose.cause,
    remedy: typeof remedy === "string" ? remedy : remedy(figures),
  };
}

/** What the levels of a finding are values of: its args have one of these. */
function loadKindOf(args: FindingArgs): LoadWords & { readonly kind: LoadKind } {
  const kind = (["rate", "users"] as const).find((one) => Object.hasOwn(args, one)) ?? "connections";
  return { kind, ...loadWords([{ [kind]: 0 }]) };
}

function describePlace(args: FindingArgs, figures: Figures): string {
  if (!Object.hasOwn(args, "target")) {
    return "";
  }
  const { kind, one, many } = loadKindOf(args);
  if (!Object.hasOwn(args, "levels") && !Object.hasOwn(args, kind)) return figures.text("target");
  const levels = figures.counts(Object.hasOwn(args, "levels") ? "levels" : kind);
  const amounts = figures.has("ofRequests") ? ` with ${describeRequests(figures.text("ofRequests"))}` : "";
  return `${figures.text("target")} at ${kind === "users" ? "up to " : ""}${levels} ${levels === "1" ? one : many}${amounts}`;
}

/** Says that the figures are those of the worst of several steps, and which one that was; where they are of all of them, how bad the worst was. */
function describeExtent(args: FindingArgs, figures: Figures): string {
  const { steps } = args;
  if (typeof steps !== "number" || steps < 2) {
    return "";
  }
  const [severalLoads, severalAmounts] = ["levels", "ofRequests"].map(
    (name) => figures.has(name) && figures.text(name).includes(","),
  );
  const several = severalLoads === true || severalAmounts === true;
  // None is worse than the others.
  if (figures.has("alike")) return ` (in ${figures.count("steps")} ${several ? "steps" : "trials"})`;
  const load = severalLoads === true ? ` at ${figures.counts(loadKindOf(args).kind)}` : "";
  const where = severalAmounts === true ? `${load} with ${describeRequests(figures.text("worstRequests"))}` : load;
  if (figures.has("allSent")) {
    const most = figures.has("share") ? `, up to ${figures.percent("share")}${where}` : "";
    return ` (${most === "" ? "in " : ""}${figures.count("steps")} ${several ? "steps" : "trials"}${most})`;
  }
  return ` (the worst of ${figures.count("steps")} ${several ? `steps,${where}` : "trials"})`;
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
