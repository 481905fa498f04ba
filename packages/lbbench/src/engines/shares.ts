import type { Level } from "../model/level.js";
import type { Load } from "../plugin.js";
import { closedConnections } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-starts.js";

/** Which of the processes that share a load is meant, from 0, and how many there are. */
export interface GeneratorPlace {
  readonly index: number;
  readonly of: number;
}

/** Splits `total` into `parts` whole numbers that differ by at most one, the larger first; their sum is exact. */
export function splitEvenly(total: number, parts: number): readonly number[] {
  const share = Math.floor(total / parts);
  const rest = total - share * parts;
  return Array.from({ length: parts }, (_, index) => share + (index < rest ? 1 : 0));
}

/**
 * Splits a level over at most `generators` processes: every process gets at least one connection, connections and
 * requests add up exactly, and requests are dealt out in proportion to connections. Of users that come one after another every
 * process is told the whole level: which of them are its own follows from its place.
 *
 * @param streams how many of the connections of the level are streams of one and the same, which no two processes can
 *   share; they are spread evenly over as few as that takes.
 */
export function splitLevel(level: Level, generators: number, streams = 1): readonly Level[] {
  const { users, requests } = level;
  if (users !== undefined) return Array.from({ length: Math.min(generators, Math.ceil(users / streams)) }, () => level);
  const all = closedConnections(level);
  const sizes = splitEvenly(all, Math.ceil(all / streams));
  const connections = sumGroups(sizes, splitEvenly(sizes.length, Math.min(generators, sizes.length)));
  if (requests === undefined) return connections.map((share) => ({ ...level, connections: share }));
  const shares = sumGroups(splitEvenly(requests, all), connections);
  return connections.map((share, index) => ({ ...level, connections: share, requests: shares[index] ?? 0 }));
}

/** Sums of groups of so many values each, one after the other. */
function sumGroups(values: readonly number[], sizes: readonly number[]): readonly number[] {
  let from = 0;
  return sizes.map((size) => {
    const group = values.slice(from, from + size);
    from += size;
    return group.reduce((sum, value) => sum + value, 0);
  });
}

/**
 * Returns when each user that a generator has of a closed loop starts, in microseconds from the common start, in order: those
 * of a level of connections all at 0, those of a ramp when they come. The level of a ramp is that of the whole, and the
 * generator takes every so many-th user of it, so that all generators together have exactly the whole. Throws a `RangeError`
 * for a rate, which has no users.
 */
export function userStartsUs(
  { level, ramp }: Pick<Load, "level" | "ramp">,
  { index: place, of }: GeneratorPlace,
): readonly number[] {
  if (level.users === undefined) return Array.from({ length: closedConnections(level) }, () => 0);
  if (ramp === undefined) throw new RangeError("Expected a ramp with a level that is users, got none");
  return rampStartsUs(level.users, ramp).filter((_, index) => index % of === place);
}
