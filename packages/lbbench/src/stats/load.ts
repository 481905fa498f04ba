import type { Level, LoadKind } from "../model/level.js";

/** What a level is a value of, and the value; of a level without any, 0 connections. */
export function loadOf({ connections, rate, users }: Level): { readonly kind: LoadKind; readonly value: number } {
  if (rate !== undefined) return { kind: "rate", value: rate };
  if (users !== undefined) return { kind: "users", value: users };
  return { kind: "connections", value: connections ?? 0 };
}

/** The value of a level, whatever it is of. */
export function loadValue(level: Level): number {
  return loadOf(level).value;
}

/** Connections of a closed loop; throws a `RangeError` for a level of any other kind. */
export function closedConnections({ connections }: Level): number {
  if (connections !== undefined) return connections;
  throw new RangeError("Expected a level of connections, which a closed loop keeps busy, got one of another kind");
}
