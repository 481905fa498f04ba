import type { ToldScenario } from "../../model/scenario.js";
import { FINDINGS } from "../../judge/findings.js";
import { code, type Inline, type Inlines } from "./block.js";

const CODE = String.raw`\[[A-Z0-9_]+\]`;
const TILDE = String.raw`(?<![^\s(])~(?![^\s),.;:])`;

/** Returns a sentence of ours with codes of findings, thresholds and `~` marked as code. */
export function markCode(text: string, { thresholds, stopOn }: Pick<ToldScenario, "thresholds" | "stopOn">): Inlines {
  // Longer texts first, as one may begin another.
  const sources = [...thresholds, ...stopOn].map(({ source }) => source).toSorted((a, b) => b.length - a.length);
  const patterns = [
    ...sources.map((source) => source.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)),
    CODE,
    TILDE,
  ];
  const runs = text.split(new RegExp(`(${patterns.join("|")})`, "u"));
  const marked = runs.map((run, at): Inline => {
    const name = run.replace(/^\[(.*)\]$/, "$1");
    const isOurs = at % 2 === 1 && (name === run || Object.hasOwn(FINDINGS, name));
    return isOurs ? code(name) : run;
  });
  return marked.length === 1 ? text : marked.filter((run) => run !== "");
}
