import type { Level } from "../model/level.js";
import { closedConnections } from "../stats/load.js";

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
  const { users } = level;
  if (users !== undefined) return Array.from({ length: Math.min(generators, Math.ceil(users / streams)) }, () => level);
  const all = closedConnections(level);
  const sizes = splitEvenly(all, Math.ceil(all / streams));
  const connections = sumRuns(sizes, splitEvenly(sizes.length, Math.min(generators, sizes.length)));
  const { requests } = level;
  if (requests === undefined) return connections.map((share) => ({ ...level, connections: share }));
  const shares = sumRuns(splitEvenly(requests, all), connections);
  return connections.map((share, index) => ({ ...level, connections: share, requests: shares[index] ?? 0 }));
}

/** Sums of so many values each, one run after the other. */
function sumRuns(values: readonly number[], lengths: readonly number[]): readonly number[] {
  let from = 0;
  return lengths.map((length) => {
    const run = values.slice(from, from + length);
    from += length;
    return run.reduce((sum, value) => sum + value, 0);
  });
}
