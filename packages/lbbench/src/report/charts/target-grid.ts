/** Targets that a grid made, or one that stands for itself. */
export interface GridPlace {
  readonly target: string;
  /** All options of the name except one: `pool pool=8 queue=10`; of a target without a grid its name. */
  readonly group: string;
  /** The option left out: `policy=drop-head`; `undefined` of a target without a grid. */
  readonly member: string | undefined;
}

/** Targets in one panel, or bars side by side, that can still be told apart. */
const MOST_MEMBERS = 8;

/** A name as grids make them: `NAME pool=8 queue=10`. */
const GRID_NAME = /^(.*?)((?: [\w.-]+=[^\s=]+)+)$/;

/**
 * Sorts targets by the options in their names, as grids make them: those that differ in one option alone are members of a
 * group. That option is the last with 2 to 8 values. `undefined` where there is none, as without a grid.
 */
export function readTargetGrid(names: readonly string[]): readonly GridPlace[] | undefined {
  const read = names.map(readName);
  const labels = [...new Set(read.flatMap(({ options }) => [...options.keys()]))];
  const isMember = (label: string): boolean => {
    const values = new Set(read.flatMap(({ options }) => options.get(label) ?? []));
    return values.size >= 2 && values.size <= MOST_MEMBERS;
  };
  const chosen = labels.findLast(isMember);
  if (chosen === undefined) return undefined;
  return read.map(({ target, base, options }) => {
    const value = options.get(chosen);
    if (value === undefined) return { target, group: target, member: undefined };
    const others = [...options].filter(([label]) => label !== chosen).map(([label, other]) => `${label}=${other}`);
    return { target, group: [base, ...others].join(" "), member: `${chosen}=${value}` };
  });
}

interface ReadName {
  readonly target: string;
  readonly base: string;
  readonly options: ReadonlyMap<string, string>;
}

function readName(target: string): ReadName {
  const [, base = target, options = ""] = GRID_NAME.exec(target) ?? [];
  const pairs = options
    .trim()
    .split(" ")
    .filter((word) => word !== "");
  return { target, base, options: new Map(pairs.map((pair) => pair.split("=", 2) as [string, string])) };
}
