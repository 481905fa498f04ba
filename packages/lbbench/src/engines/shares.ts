import type { Level } from "../model/level.js";
import type { Load } from "../plugin.js";
import { defined } from "../stats/defined.js";
import { closedConnections } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-seconds.js";
import type { Asked } from "./merge.js";

/** Which of the processes that share a load is meant, from 0, and how many there are. */
export interface GeneratorPlace {
  readonly index: number;
  readonly of: number;
}

/** What the first `count` of so many parts of `total` have together: whole numbers that differ by one at most, the larger first. */
function firstParts(total: number, parts: number, count: number): number {
  return Math.floor(total / parts) * count + Math.min(count, total % parts);
}

/** Splits `total` into `parts` whole numbers that differ by at most one, the larger first; their sum is exact. */
export function splitEvenly(total: number, parts: number): readonly number[] {
  return Array.from(
    { length: parts },
    (_, part) => firstParts(total, parts, part + 1) - firstParts(total, parts, part),
  );
}

/**
 * Splits a level over at most `generators` processes: each gets a connection at least, and requests in proportion to connections;
 * both add up exactly. Of a ramp each is told the whole level: which users are its own follows from its place.
 *
 * @param streams how many connections of the level share one and the same, and with it a process.
 */
export function splitLevel(level: Level, generators: number, streams = 1): readonly Level[] {
  const { users, requests } = level;
  const all = users ?? closedConnections(level);
  const shared = Math.ceil(all / streams);
  const of = Math.min(generators, shared);
  if (users !== undefined) return Array.from({ length: of }, () => level);
  const connectionsBefore = (index: number): number => firstParts(all, shared, firstParts(shared, of, index));
  return Array.from({ length: of }, (_, index) => {
    const [from, to] = [connectionsBefore(index), connectionsBefore(index + 1)];
    const share = { ...level, connections: to - from };
    if (requests === undefined) return share;
    return { ...share, requests: firstParts(requests, all, to) - firstParts(requests, all, from) };
  });
}

/** What an engine says of how its load is shared out. */
export interface Sharing {
  /** Its own, checked. */
  readonly options: Load["options"];
  /** Users who share a connection, and with it a process; one without this. */
  readonly streams?: number;
  /** An option that is a number of connections: each process gets its part, which is at least one. */
  readonly pool?: Readonly<Record<string, number>>;
  /** Connections that are to be opened, where the level does not tell how many. */
  readonly connections?: number | undefined;
}

/** A load that is shared out. */
export interface SharedLoad {
  /** What each process sends. */
  readonly shares: readonly Load[];
  /** Connections that all of them together are to open, or the rate at which they are to send. */
  readonly asked: Asked;
}

/** Shares a load out to as many processes as are asked for, or fewer where there would be too little for each. */
export function shareOut(load: Load, { options, streams = 1, pool = {}, connections }: Sharing): SharedLoad {
  const { level, arrival, hold } = load;
  const most = Math.min(load.generators, ...Object.values(pool));
  const optionsOf = (index: number, of: number): Load["options"] => {
    const parts = Object.entries(pool).map(([option, size]) => [option, splitEvenly(size, of)[index]] as const);
    return { ...options, ...Object.fromEntries(parts) };
  };
  if (level.rate !== undefined && arrival !== undefined) {
    // Every process takes every so many-th request of one schedule, and its part of the requests in flight.
    const parts = splitEvenly(arrival.maxInFlight, Math.min(most, arrival.maxInFlight));
    const shares = parts.map((maxInFlight, index) => ({
      ...load,
      options: optionsOf(index, parts.length),
      arrival: { ...arrival, maxInFlight },
    }));
    return { shares, asked: defined({ rate: level.rate, connections }) };
  }
  const levels = splitLevel(level, most, streams);
  const bursts = splitEvenly(hold?.burst ?? 0, levels.length);
  const shares = levels.map((part, index) => ({
    ...load,
    options: optionsOf(index, levels.length),
    level: part,
    ...defined({ hold: hold && { ...hold, burst: bursts[index] ?? 0 } }),
  }));
  // The users of a ramp are dealt out to the processes.
  const users = level.users === undefined ? [closedConnections(level)] : splitEvenly(level.users, shares.length);
  const opened = users.reduce((sum, share) => sum + Math.ceil(share / streams), 0);
  return { shares, asked: { ...level, connections: connections ?? opened } };
}

/**
 * Returns when each user that a generator has of a closed loop starts, in microseconds from the common start, in order: of a ramp,
 * whose level is that of the whole, every so many-th. Throws a `RangeError` for a rate, which has no users.
 */
export function userStartsUs(
  { level, ramp }: Pick<Load, "level" | "ramp">,
  { index: place, of }: GeneratorPlace,
): readonly number[] {
  if (level.users === undefined) return Array.from({ length: closedConnections(level) }, () => 0);
  if (ramp === undefined) throw new RangeError("Expected a ramp with a level that is users, got none");
  return rampStartsUs(level.users, ramp).filter((_, index) => index % of === place);
}
