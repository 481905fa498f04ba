import type { ToldScenario } from "../../model/scenario.js";
import { FINDING_PROSE } from "../finding-prose.js";
import { code, type Inline, type Inlines } from "./block.js";

const CODE = /\[([A-Z0-9_]+)\]/;
/** That of a sentence is not a part of an address before it. */
const URL_TEXT = /https?:\/\/[^\s<>'"]*[^\s<>'".,;:!?()]/;
const TILDE = /(?<![^\s(])~(?![^\s),.;:])/;

/**
 * Returns a sentence of ours with codes of findings, addresses, thresholds and `~` marked as code. Names of targets stay as they are,
 * whatever they contain, unless they are addresses themselves.
 */
export function markCode(
  text: string,
  { targets, thresholds, stopOn }: Pick<ToldScenario, "targets" | "thresholds" | "stopOn">,
): Inlines {
  const names = targets.map(({ name }) => name).filter((name) => !isAddress(name));
  const sources = [...thresholds, ...stopOn].map(({ source }) => source);
  const parts = [named("name", names), named("source", sources), ...PATTERNS].filter((part) => part !== "");
  const runs: Inline[] = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(parts.join("|"), "gu"))) {
    const marked = markFound(found);
    if (marked === undefined) continue;
    runs.push(text.slice(from, found.index), marked);
    from = found.index + found[0].length;
  }
  return runs.length === 0 ? text : [...runs, text.slice(from)].filter((run) => run !== "");
}

const PATTERNS = [CODE, URL_TEXT, TILDE].map(({ source }) => source);

function markFound({ 0: all, groups }: RegExpExecArray): Inline | undefined {
  if (groups?.["name"] !== undefined) return undefined;
  if (!all.startsWith("[")) return code(all);
  const name = all.slice(1, -1);
  return FINDING_PROSE.has(name) ? code(name) : undefined;
}

function isAddress(name: string): boolean {
  return new RegExp(`^${URL_TEXT.source}$`).test(name);
}

/** Longer texts first, as one may begin another; none of them within a word. */
function named(group: string, texts: readonly string[]): string {
  const sorted = [...new Set(texts)].filter((text) => text !== "").toSorted((a, b) => b.length - a.length);
  return sorted.length === 0
    ? ""
    : String.raw`(?<group>(?<![\p{L}\p{N}_])(?:${sorted.map(quote).join("|")})(?![\p{L}\p{N}_]))`.replace(
        "group",
        group,
      );
}

function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
