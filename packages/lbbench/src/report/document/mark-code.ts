import type { ToldScenario } from "../../model/scenario.js";
import { FINDINGS } from "../../judge/findings.js";
import { code, type Inline, type Inlines } from "./block.js";

const CODE = String.raw`\[[A-Z0-9_]+\]`;
const TILDE = String.raw`(?<![^\s(])~(?![^\s),.;:])`;

/**
 * Returns a sentence of ours with codes of findings, thresholds and `~` marked as code. Names of targets stay as they are, whatever
 * they contain.
 */
export function markCode(
  text: string,
  { targets, thresholds, stopOn }: Pick<ToldScenario, "targets" | "thresholds" | "stopOn">,
): Inlines {
  const names = new Set(targets.map(({ name }) => name));
  const sources = [...thresholds, ...stopOn].map(({ source }) => source);
  // Longer texts first, as one may begin another; none of them within a word.
  const whole = [...names, ...sources].toSorted((a, b) => b.length - a.length).filter((one) => one !== "");
  const patterns = [...whole.map((one) => String.raw`(?<![\p{L}\p{N}_])${quote(one)}(?![\p{L}\p{N}_])`), CODE, TILDE];
  const runs = text.split(new RegExp(`(${patterns.join("|")})`, "u"));
  const marked = runs.map((run, at): Inline => (at % 2 === 0 || names.has(run) ? run : markFound(run)));
  return marked.every((run) => typeof run === "string") ? text : marked.filter((run) => run !== "");
}

function markFound(text: string): Inline {
  if (!text.startsWith("[")) return code(text);
  const name = text.slice(1, -1);
  return Object.hasOwn(FINDINGS, name) ? code(name) : text;
}

function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
