import type { MixedRequest, ToldScenario } from "../model/scenario.js";
import { isSameData } from "./compare-data.js";
import { differ } from "./compare-difference.js";
import type { Difference } from "./compare-difference.js";
import { comparePaths, compareRequests } from "./compare-requests.js";

/**
 * Returns in what differs what two runs send: their requests, or the entries of their mixes, by name; never values that might
 * be secret. Weights count beside each other, and the order of entries does not.
 */
export function compareMixes(a: ToldScenario, b: ToldScenario): readonly Difference[] {
  if (a.mix === null && b.mix === null) {
    return a.request === null || b.request === null ? [] : compareRequests(a.request, b.request);
  }
  if (a.mix === null || b.mix === null) return differ("OTHER_REQUEST", "prevents", "mix", sizeOf(a.mix), sizeOf(b.mix));
  const [left, right] = [byName(a.mix), byName(b.mix)];
  return [
    ...onlyIn(a.mix, right, "A"),
    ...onlyIn(b.mix, left, "B"),
    ...a.mix.flatMap((entry) => {
      const other = right.get(entry.name);
      return other === undefined ? [] : nameEntry(entry, compareEntries(entry, other));
    }),
    ...compareWeights(a.mix, b.mix),
  ];
}

function compareEntries(a: MixedRequest, b: MixedRequest): readonly Difference[] {
  return [
    ...comparePaths(a.request.path, b.request.path),
    ...compareRequests(a.request, b.request),
    ...(isSameData(a.bodies, b.bodies) && isSameEncoding(a, b)
      ? []
      : [{ code: "OTHER_REQUEST", effect: "prevents", what: "bodies" } as const]),
  ];
}

function isSameEncoding(a: MixedRequest, b: MixedRequest): boolean {
  return a.bodies === null || a.request.bodyEncoding === b.request.bodyEncoding;
}

const SAME_SHARE = 1e-9;

/** Half of 2 and 2 is that of 1 and 1. */
function compareWeights(a: readonly MixedRequest[], b: readonly MixedRequest[]): readonly Difference[] {
  const [totalA, totalB] = [totalWeight(a), totalWeight(b)];
  const others = byName(b);
  const pairs = a.flatMap((entry) => {
    const other = others.get(entry.name);
    return other === undefined ? [] : [{ entry, other }];
  });
  const isSame = pairs.every(
    ({ entry, other }) => Math.abs(entry.weight / totalA - other.weight / totalB) <= SAME_SHARE,
  );
  return isSame || pairs.length < Math.max(a.length, b.length)
    ? []
    : pairs.flatMap(({ entry, other }) =>
        nameEntry(entry, differ("OTHER_REQUEST", "prevents", "weight", String(entry.weight), String(other.weight))),
      );
}

function onlyIn(
  mix: readonly MixedRequest[],
  others: ReadonlyMap<string, MixedRequest>,
  side: "A" | "B",
): readonly Difference[] {
  return mix
    .filter(({ name }) => !others.has(name))
    .map((entry) => ({ code: "OTHER_REQUEST", effect: "prevents", what: `${describe(entry)} only in ${side}` }));
}

function nameEntry(entry: MixedRequest, differences: readonly Difference[]): readonly Difference[] {
  return differences.map((difference) => ({ ...difference, what: `${describe(entry)}: ${difference.what ?? ""}` }));
}

/** A name that is made of a path has its query, which may hold secrets. */
function describe({ name }: MixedRequest): string {
  return `mix, ${name.split("?", 1)[0] ?? ""}`;
}

function byName(mix: readonly MixedRequest[]): ReadonlyMap<string, MixedRequest> {
  return new Map(mix.map((entry) => [entry.name, entry]));
}

function totalWeight(mix: readonly MixedRequest[]): number {
  return mix.reduce((sum, { weight }) => sum + weight, 0);
}

function sizeOf(mix: ToldScenario["mix"]): string {
  return mix === null ? "none" : `of ${mix.length}`;
}
