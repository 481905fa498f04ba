import type { Level, LoadKind } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import { failedRequests } from "./request-counts.js";

/** What a level is a value of, and the value; of a level without any, 0 connections. */
export function loadOf({ connections, rate, perConnection, users }: Level): {
  readonly kind: LoadKind;
  readonly value: number;
} {
  if (rate !== undefined && perConnection !== undefined) return { kind: "connectionRate", value: rate / perConnection };
  if (rate !== undefined) return { kind: "rate", value: rate };
  if (users !== undefined) return { kind: "users", value: users };
  return { kind: "connections", value: connections ?? 0 };
}

/** The value of a level of any kind. */
export function loadValue(level: Level): number {
  return loadOf(level).value;
}

/** Connections of a closed loop; throws a `RangeError` for a level of any other kind. */
export function closedConnections({ connections }: Level): number {
  if (connections !== undefined) return connections;
  throw new RangeError("Expected a level of connections, which a closed loop keeps busy, got one of another kind");
}

/** How a kind of load is called: over a column, beside an axis, after a number. */
export type LoadWords = Readonly<Record<"column" | "short" | "axis" | "one" | "many", string>>;

/** How each kind of load is called. */
export const LOAD_WORDS: Readonly<Record<LoadKind, LoadWords>> = {
  connections: {
    column: "Connections",
    short: "conns",
    axis: "connections",
    one: "connection",
    many: "connections",
  },
  rate: {
    column: "Rate (requests/s)",
    short: "rate",
    axis: "requests/s asked for",
    one: "request/s",
    many: "requests/s",
  },
  connectionRate: {
    column: "New connections/s",
    short: "conns/s",
    axis: "new connections/s asked for",
    one: "new connection/s",
    many: "new connections/s",
  },
  users: { column: "Users up to", short: "users", axis: "users", one: "user", many: "users" },
};

/** Every kind of load. */
export const LOAD_KINDS = Object.keys(LOAD_WORDS) as readonly LoadKind[];

/** Whether a level of such a kind is an open loop, whose throughput is what was asked for. */
export function isOpenLoop(kind: LoadKind): boolean {
  return kind === "rate" || kind === "connectionRate";
}

/** Whether a text is a kind of load. */
export function isLoadKind(text: string | undefined): text is LoadKind {
  return text !== undefined && Object.hasOwn(LOAD_WORDS, text);
}

/** Part of what is due at a rate that has to be answered for a target to have kept up with it. */
const KEPT_UP = 0.98;
/** So many times the requests that are open on average may be open at the end, and so many beside, where no backlog grows. */
const OPEN_AT_END = { times: 1.5, beside: 2 };

/**
 * Whether a target kept up with the rate of a level, so that its throughput is what was asked for; false of other levels. Requests that are
 * open at the end do not count against it: of a steady load they are about as many as on average, which Little's law tells (the throughput
 * times the mean latency); of a backlog that grows they are twice as many or more.
 */
export function keepsRate({ rate }: Level, { requests, throughput, elapsedMs, latency }: Measurement): boolean {
  if (rate === undefined) return false;
  const [due, answered] = [rate, throughput].map((perSecond) => (perSecond * elapsedMs) / 1000) as [number, number];
  const usual = OPEN_AT_END.times * throughput * ((latency?.mean ?? 0) / 1000) + OPEN_AT_END.beside;
  const open = Math.max(0, Math.min(due - answered - failedRequests(requests), usual));
  return answered >= KEPT_UP * (due - open);
}
