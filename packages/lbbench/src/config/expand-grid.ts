import { ConfigError } from "./config-error.js";

type Options = Readonly<Record<string, unknown>>;

/** A target whose options may be a grid. */
export interface GridTarget {
  readonly name: string;
  readonly options?: Options | undefined;
  readonly grid?: Readonly<Record<string, readonly unknown[]>> | undefined;
}

const MOST_TARGETS = 200;

/**
 * Makes one target of every combination of a grid's values, the last option varying fastest, named by them:
 * `pool pool=8 queue=10`; an option with one value is in no name. A target without a grid stays as it is. Throws a {@link ConfigError} for a place that does not exist,
 * or more than 200 combinations.
 *
 * @param place of the target in the configuration.
 */
export function expandGrid<Target extends GridTarget>(target: Target, place: string): readonly Omit<Target, "grid">[] {
  const { grid, ...plain } = target;
  if (grid === undefined) return [plain];
  const axes = Object.entries(grid).map(([path, values]) => ({
    path,
    label: labelOf(path, Object.keys(grid)),
    values,
  }));
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_TARGETS) {
    throw new ConfigError(
      `${place} ("${target.name}"): grid: expected at most ${MOST_TARGETS} combinations, got ${count}`,
    );
  }
  return combinations(axes).map((chosen) => ({
    ...plain,
    name: [
      target.name,
      ...chosen.filter(({ varies }) => varies).map(({ label, value }) => `${label}=${format(value)}`),
    ].join(" "),
    options: chosen.reduce<Options>(
      (options, { path, value }) =>
        setAt(options, path.split("."), value, `${place} ("${target.name}"): grid: ${path}`),
      target.options ?? {},
    ),
  }));
}

interface Axis {
  readonly path: string;
  readonly label: string;
  readonly values: readonly unknown[];
}

interface Choice extends Pick<Axis, "path" | "label"> {
  readonly value: unknown;
  readonly varies: boolean;
}

function combinations(axes: readonly Axis[]): readonly (readonly Choice[])[] {
  return axes.reduce<readonly (readonly Choice[])[]>(
    (rows, { path, label, values }) =>
      rows.flatMap((row) => values.map((value) => [...row, { path, label, value, varies: values.length > 1 }])),
    [[]],
  );
}

/** The last word of a path, or all of it where two end alike. */
function labelOf(path: string, paths: readonly string[]): string {
  const last = (text: string): string => text.slice(text.lastIndexOf(".") + 1);
  return paths.filter((other) => last(other) === last(path)).length > 1 ? path : last(path);
}

function format(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A copy of `options` with a value at a path; what is missing on the way is an empty object. */
function setAt(options: unknown, path: readonly string[], value: unknown, place: string): Options {
  const [key = "", ...rest] = path;
  const inner = (old: unknown): unknown => (rest.length === 0 ? value : setAt(old, rest, value, place));
  if (Array.isArray(options)) {
    if (!Object.hasOwn(options, key) || key === "length") {
      throw new ConfigError(
        `${place}: expected a number below ${options.length} for a place in the list, got "${key}"`,
      );
    }
    return options.map((old: unknown, index) => (String(index) === key ? inner(old) : old)) as unknown as Options;
  }
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    throw new ConfigError(`${place}: expected the name of an option, got "${key}" inside ${format(options)}`);
  }
  const old = options !== undefined && Object.hasOwn(options, key) ? (options as Options)[key] : undefined;
  return { ...options, [key]: inner(old) };
}
