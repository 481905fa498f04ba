import { loadWords } from "./describe-level.js";
import type { Figures } from "./finding-figures.js";

/** What the levels of a finding about all of them are values of; `levels` are those it follows, for the singular. */
export function unitOf(of: Figures, levels = ""): string {
  const kind = (["connections", "rate", "users"] as const).find((one) => one === of.text("kind")) ?? "connections";
  const { one, many } = loadWords([{ [kind]: 0 }]);
  return levels === "1" ? one : many;
}
