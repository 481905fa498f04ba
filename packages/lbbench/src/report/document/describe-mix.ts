import type { MixedRequest } from "../../model/scenario.js";
import { formatCount, formatPercent } from "../format-number.js";

/** The others are in the settings and in the tables. */
const MOST_NAMES = 5;

/** Returns what is sent, names as they came: `a mix of GET / (80.0 %) and POST /cart (20.0 %)`. */
export function describeMix(mix: readonly MixedRequest[]): string {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const words = mix.slice(0, MOST_NAMES).map(({ name, weight }) => `${name} (${formatPercent(weight / total)} %)`);
  const more = mix.length - words.length;
  const all = more === 0 ? words : [...words, `${formatCount(more)} more`];
  const last = all.at(-1) ?? "";
  return all.length === 1 ? `a mix of ${last} alone` : `a mix of ${all.slice(0, -1).join(", ")} and ${last}`;
}
