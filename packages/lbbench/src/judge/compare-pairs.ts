import type { Target, ToldScenario } from "../model/scenario.js";
import { differingKeys } from "./compare-data.js";
import { differ } from "./compare-difference.js";
import type { Difference } from "./compare-difference.js";
import { comparePaths } from "./compare-requests.js";

/** Names of a target of A and of the target of B that is compared with it. */
export type TargetPair = readonly [a: string, b: string];

/** Which targets are compared, and which have no counterpart. */
export interface PairedTargets {
  readonly pairs: readonly (readonly [a: Target, b: Target])[];
  readonly differences: readonly Difference[];
}

/**
 * Pairs the targets of two scenarios: those asked for; else the two when each has a single one, whatever their names;
 * else those of the same name. In the order of A.
 */
export function pairTargets(a: ToldScenario, b: ToldScenario, asked: readonly TargetPair[] = []): PairedTargets {
  const names = asked.length > 0 ? asked : namePairs(a, b);
  const pairs = names.flatMap(([left, right]) => {
    const [first, second] = [targetOf(a, left), targetOf(b, right)];
    return first === undefined || second === undefined ? [] : [[first, second] as const];
  });
  if (asked.length > 0) {
    return { pairs, differences: [] };
  }
  const without = (targets: readonly Target[], side: 0 | 1): readonly string[] =>
    targets.map(({ name }) => name).filter((name) => !names.some((pair) => pair[side] === name));
  return {
    pairs,
    differences: [
      ...without(a.targets, 0).map((target) => ({ code: "TARGET_ONLY_IN_A", effect: "prevents", target }) as const),
      ...without(b.targets, 1).map((target) => ({ code: "TARGET_ONLY_IN_B", effect: "note", target }) as const),
    ],
  };
}

/** Returns in what a target of A and one of B differ: what generates their load, what they are asked, and what they are. */
export function comparePair(
  a: ToldScenario,
  b: ToldScenario,
  [left, right]: readonly [Target, Target],
): readonly Difference[] {
  const engines = [left.engine ?? a.engine, right.engine ?? b.engine] as const;
  // Of imported output neither processes nor options are told.
  const hasOptions = a.engine.generators !== null && b.engine.generators !== null;
  const options = hasOptions ? differingKeys(engines[0].options, engines[1].options) : [];
  const [pathA, pathB] = [pathOf(left, a), pathOf(right, b)];
  const differences: readonly Difference[] = [
    ...differ("OTHER_ENGINE", "prevents", "engine", engines[0].name, engines[1].name),
    ...nameKeys("OTHER_ENGINE", "prevents", "engine options", engines[0].name === engines[1].name ? options : []),
    // The paths of a mix are its own, whatever the target is.
    ...(a.mix === null && b.mix === null && pathA !== null && pathB !== null ? comparePaths(pathA, pathB) : []),
    ...differ("OTHER_SERVER", "note", "server", left.server, right.server),
    ...nameKeys(
      "OTHER_SERVER",
      "note",
      "options",
      left.server === right.server ? differingKeys(left.options, right.options) : [],
    ),
  ];
  return differences.map((difference) => ({ ...difference, target: right.name }));
}

function namePairs(a: ToldScenario, b: ToldScenario): readonly TargetPair[] {
  const [left, right] = [a.targets, b.targets].map((targets) => targets.map(({ name }) => name));
  if (left?.length === 1 && right?.length === 1) {
    return [[left[0] ?? "", right[0] ?? ""]];
  }
  return (left ?? []).filter((name) => right?.includes(name)).map((name) => [name, name]);
}

function targetOf({ targets }: ToldScenario, name: string): Target | undefined {
  return targets.find((target) => target.name === name);
}

/** What is asked for: a URL with a path or a query of its own keeps them, as when it is measured; `null` where that is not told. */
function pathOf({ options: { url } }: Target, { request }: ToldScenario): string | null {
  const own = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (own !== undefined && (request === null || own.pathname !== "/" || own.search !== "")) {
    return own.pathname + own.search;
  }
  return request?.path ?? null;
}

function nameKeys(
  code: Difference["code"],
  effect: Difference["effect"],
  what: string,
  keys: readonly string[],
): readonly Difference[] {
  return keys.length === 0 ? [] : [{ code, effect, what: `${what} ${keys.join(", ")}` }];
}
