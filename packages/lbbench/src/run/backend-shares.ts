/** How many requests and connections each backend got, from the counts that a server was asked for during a step. */
import type { BackendConnections, BackendShare, Slices } from "../model/measurement.js";
import type { BackendMoment, RunningServer } from "../plugin.js";
import { addShares } from "../stats/backend-shares.js";
import type { Clock } from "./faults.js";
import { defined } from "../stats/defined.js";
import { groupBy } from "../stats/group-by.js";

/** Requests by backend, as counted since the start of the balancer or of each backend. */
export type Shares = Readonly<Record<string, BackendMoment>>;

/** An answer, and when it came: in ms from the start of the measurement. */
export interface ToldShares {
  readonly atMs: number;
  readonly shares: Shares;
  /** What the server itself has counted. */
  readonly server?: BackendShare;
}

type CountingServer = Pick<RunningServer, "backends" | "requests" | "connections">;

/** Asks a server what it and its backends have counted since their start; `undefined` where nothing is counted. */
export async function askShares({ backends, requests, connections: countConnections }: CountingServer) {
  if (backends === undefined && requests === undefined) return undefined;
  const [shares = {}, received, own] = await Promise.all([backends?.(), requests?.(), countConnections?.()]);
  // Since a start there is nothing before.
  const connections = own && { before: 0, ...own };
  const server = received === undefined ? undefined : { requests: received, ...defined({ connections }) };
  return { shares, ...defined({ server }) };
}

/** Requests of a backend between two answers. */
interface Gain extends BackendShare {
  readonly name: string;
  /** When the first and the second answer came. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Asks a server at the end of each slice, in ms, what it and its backends have counted. It is not asked again before it has answered.
 * The function returned stops asking, and returns the answers.
 */
export function watchShares(
  server: CountingServer,
  sliceMs: number,
  { passedMs, startMs }: Pick<Clock, "passedMs" | "startMs">,
): () => readonly ToldShares[] {
  const told: ToldShares[] = [];
  if (server.backends === undefined && server.requests === undefined) return () => told;
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    void askShares(server)
      .then((answer) => answer && told.push({ atMs: passedMs(), ...answer }))
      // The next answer counts these requests, too.
      .catch(() => {})
      .finally(() => (isAsked = false));
  };
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = sliceMs - ((passedMs() - startMs()) % sliceMs);
    // A timer may be a little early.
    timer = setTimeout(next, left < EARLY_MS ? left + sliceMs : left);
  };
  const next = (): void => {
    ask();
    wait();
  };
  wait();
  return () => {
    clearTimeout(timer);
    return [...told];
  };
}

const EARLY_MS = 5;

/** Requests of each backend between the first answer and the last one. */
export function sharesBetween(told: readonly ToldShares[]): Record<string, BackendShare> {
  const gains = groupBy(gainsOf(told), ({ name }) => name);
  return Object.fromEntries([...gains].map(([name, ofOne]) => [name, addShares(ofOne)]));
}

/** The same of the server itself; `undefined` where it does not count. */
export function ownBetween(told: readonly ToldShares[]): BackendShare | undefined {
  return sharesBetween(told.map(({ atMs, server }) => ({ atMs, shares: defined({ server }) })))["server"];
}

/**
 * Requests of each backend in each of `count` slices. The requests of an answer are spread evenly over the time since the answer before,
 * and over one slice at most: a balancer that did not answer was under a fault, and these requests came after it.
 */
export function sharesBySlice(
  told: readonly ToldShares[],
  { ms, count }: { readonly ms: number; readonly count: number },
): NonNullable<Slices["backends"]> {
  if (count === 0) return {};
  const endMs = ms * count;
  const within = (atMs: number): number => Math.min(endMs, Math.max(0, atMs));
  const bySlice = new Map<string, number[]>();
  for (const { name, requests, fromMs, toMs } of gainsOf(told)) {
    const slices = bySlice.get(name) ?? Array.from({ length: count }, () => 0);
    bySlice.set(name, slices);
    const to = within(toMs);
    const from = within(Math.max(fromMs, to - ms));
    // The last slice holds the requests of the very end.
    const [first, last] = [from, to].map((at) => Math.min(count - 1, Math.floor(at / ms))) as [number, number];
    let given = 0;
    for (let slice = first; slice <= last; slice += 1) {
      const share = to === from ? 1 : (Math.min(to, (slice + 1) * ms) - from) / (to - from);
      const sum = slice === last ? requests : Math.round(requests * share);
      slices[slice] = (slices[slice] ?? 0) + sum - given;
      given = sum;
    }
  }
  return Object.fromEntries(bySlice);
}

/** Requests that each backend had when the last answer of each slice came; nothing where no answer tells. */
export function inFlightBySlice(
  told: readonly ToldShares[],
  { ms, count }: { readonly ms: number; readonly count: number },
): Pick<Slices, "inFlight"> {
  const bySlice = new Map<string, (number | null)[]>();
  for (const { atMs, shares } of told) {
    // An answer of the end of a slice comes just after it.
    const slice = Math.round(atMs / ms) - 1;
    for (const [name, { inFlight }] of Object.entries(shares)) {
      if (inFlight === undefined || slice < 0 || slice >= count) continue;
      const own = bySlice.get(name) ?? Array.from({ length: count }, () => null);
      bySlice.set(name, own);
      own[slice] = inFlight;
    }
  }
  return bySlice.size === 0 ? {} : { inFlight: Object.fromEntries(bySlice) };
}

/** Requests between each answer and the last one before it that has the backend. A count that falls is of a backend that was started again. */
function gainsOf(told: readonly ToldShares[]): readonly Gain[] {
  const last = new Map<string, ToldShares["shares"][string] & { readonly atMs: number }>();
  const gains: Gain[] = [];
  for (const [index, { atMs, shares }] of told.entries()) {
    for (const [name, share] of Object.entries(shares)) {
      const before = last.get(name);
      last.set(name, { ...share, atMs });
      if (index === 0) continue;
      const then = before === undefined || share.requests < before.requests ? undefined : before;
      const { errors, answered, received, connections } = share;
      const past = before?.connections;
      gains.push({
        name,
        requests: share.requests - (then?.requests ?? 0),
        ...defined({
          errors: errors === undefined ? undefined : errors - (then?.errors ?? 0),
          answered: answered && {
            count: answered.count - (then?.answered?.count ?? 0),
            totalMs: answered.totalMs - (then?.answered?.totalMs ?? 0),
          },
          received: received === undefined ? undefined : newSince(received, before?.received),
          connections: connections && {
            before: index === 1 ? (past?.open ?? 0) : 0,
            accepted: newSince(connections.accepted, past?.accepted),
            // What was open when measuring began counts as well: a short step has no other answer before its end.
            ...seenOf(index === 1 ? [connections, past] : [connections]),
          },
        }),
        fromMs: before?.atMs ?? told[index - 1]?.atMs ?? 0,
        toMs: atMs,
      });
    }
  }
  return gains;
}

/** The most connections that were open, and that were active; nothing where none was seen. */
function seenOf(
  told: readonly (Partial<BackendConnections> | undefined)[],
): Pick<BackendConnections, "open" | "active"> {
  const most = (key: "open" | "active"): number => Math.max(...told.map((one) => one?.[key] ?? 0));
  return most("open") === 0 ? {} : { open: most("open"), active: most("active") };
}

/** A backend counts what it gets, and maybe a balancer what it gives: one may be started again without the other. */
function newSince(now: number, then = 0): number {
  return now < then ? now : now - then;
}
