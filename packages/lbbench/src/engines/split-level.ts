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
 * requests add up exactly, and requests are dealt out in proportion to connections.
 */
export function splitLevel(level: Level, generators: number): readonly Level[] {
  const all = closedConnections(level);
  const connections = splitEvenly(all, Math.min(generators, all));
  if (level.requests === undefined) return connections.map((share) => ({ ...level, connections: share }));
  const perConnection = splitEvenly(level.requests, all);
  let from = 0;
  return connections.map((share) => {
    const requests = perConnection.slice(from, from + share).reduce((sum, count) => sum + count, 0);
    from += share;
    return { ...level, connections: share, requests };
  });
}
