import type { Level } from "../model/level.js";
import { formatCount, formatDuration } from "./format-number.js";

/** Names how much a level asks for: `1,000 requests`, `3 s`. */
export function describeAmount({ requests, durationMs }: Level): string {
  if (requests !== undefined) {
    return `${formatCount(requests)} requests`;
  }
  return durationMs === undefined ? "" : formatDuration(durationMs);
}

/** Names connections: `1 connection`, `1,000 connections`. */
export function describeConnections(connections: number): string {
  return `${formatCount(connections)} ${connections === 1 ? "connection" : "connections"}`;
}

/** Returns the amounts that occur in some levels, each once; more than one in a matrix of requests x connections. */
export function distinctAmounts(levels: readonly Level[]): readonly string[] {
  return [...new Set(levels.map(describeAmount))];
}
