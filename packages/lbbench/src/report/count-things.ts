import type { Figures } from "./finding-figures.js";
import { countOf } from "../stats/count-of.js";

/** Names a figure of a finding with what it counts: `1 request`, `2,391 requests`; with a verb, `1 request was`, `3 requests were`. */
export function countThings(of: Figures, name: string, one: string, isPast = false): string {
  const [single, several] = isPast ? [`${one} was`, `${one}s were`] : [one, `${one}s`];
  const count = of.number(name);
  return Number.isFinite(count) ? countOf(count, single, several) : `? ${several}`;
}
