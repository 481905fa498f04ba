import { ConfigError } from "./config-error.js";
import type { GivenTarget } from "./sweep-input.js";

type Options = NonNullable<GivenTarget["options"]>;

const MOST_TARGETS = 200;

/**
 * Makes one target of every combination of a grid's values, the last option varying fastest, named by them:
 * `pool pool=8 queue=10`; an option with one value is in no name. Throws a {@link ConfigError} for a place that does not exist,
 * or more than 200 combinations.
 *
 * @param place of the target in the configuration.
 */
export function expandGrid({ grid = {}, ...target }: GivenTarget, place: string): readonly GivenTarget[] {
  const axes = Object.entries(grid);
  const where = `${place} ("${target.name}"): grid:`;
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  if (count > MOST_TARGETS) {
    throw new ConfigError(`${where} expected at most ${MOST_TARGETS} combinations, got ${count}`);
  }
  const lastWord = (path: string): string => path.slice(path.lastIndexOf(".") + 1);
  let targets: readonly GivenTarget[] = [target];
  for (const [path, values] of axes) {
    const isAlone = axes.every(([other]) => other === path || lastWord(other) !== lastWord(path));
    targets = targets.flatMap((one) =>
      values.map((value) => ({
        ...one,
        name: values.length > 1 ? `${one.name} ${isAlone ? lastWord(path) : path}=${format(value)}` : one.name,
        options: withValue(one.options ?? {}, path.split("."), value, `${where} ${path}`),
      })),
    );
  }
  return targets;
}

function format(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A copy of `options` with a value at a path; what is missing on the way is an empty object. */
function withValue(options: unknown, [key = "", ...rest]: readonly string[], value: unknown, place: string): Options {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError(`${place}: expected the name of an option, got "${key}" inside ${format(options)}`);
  }
  if (Array.isArray(options) && !Object.keys(options).includes(key)) {
    throw new ConfigError(`${place}: expected a number below ${options.length} for a place in the list, got "${key}"`);
  }
  const old = Object.hasOwn(options, key) ? (options as Options)[key] : undefined;
  const inner = rest.length === 0 ? value : withValue(old ?? {}, rest, value, place);
  if (Array.isArray(options)) return options.with(Number(key), inner) as unknown as Options;
  return { ...options, [key]: inner };
}
