import type { Search, SearchOutcome, TriedLevel } from "../model/search.js";

/** Where a search stands. */
export interface SearchWalk extends Pick<SearchOutcome, "held" | "broken" | "tried"> {
  /** `unfinished` while the last level that was tried is undecided. */
  readonly status: SearchOutcome["status"];
}

/**
 * Walks from level to level as far as is known: from the start upwards by the growth until a level does not hold, or downwards
 * by halves if the start does not, then to the middle of what held and what did not, until both are as near as the
 * resolution asks. Pure: the same decisions give the same walk.
 */
export function walkSearch(search: Search, decide: (value: number) => TriedLevel): SearchWalk {
  const tried: TriedLevel[] = [];
  let held = 0;
  let broken: number | undefined;
  const end = (status: SearchOutcome["status"]): SearchWalk => ({
    status,
    held: held === 0 ? null : held,
    broken: broken ?? null,
    tried,
  });
  for (let value = search.start; ; value = nextValue(search, held, broken)) {
    const level = decide(value);
    tried.push(level);
    if (level.decision === "undecided") return end("unfinished");
    if (level.decision === "unclear") return end("unclear");
    if (level.decision === "held") held = value;
    else broken = value;
    if (broken === undefined && held >= search.most) return end("unbounded");
    if (broken !== undefined && isNear(search, held, broken)) return end(held === 0 ? "nothing-held" : "found");
  }
}

function nextValue({ growth, most }: Search, held: number, broken: number | undefined): number {
  if (broken !== undefined) return Math.floor((held + broken) / 2);
  return Math.min(most, Math.max(held + 1, Math.round(held * growth)));
}

function isNear({ resolution }: Search, held: number, broken: number): boolean {
  return broken - held <= Math.max(1, resolution * held);
}
