import { createTeardown } from "../system/teardown.js";
import type { BackendGroup } from "../model/scenario.js";
import type { BackendMoment, FaultyPart, Protocol, RunningServer, ServerContext } from "../plugin.js";
import { addShares as sumShares, backendNames } from "../stats/backend-shares.js";
import { defined } from "../stats/defined.js";
import { groupBy } from "../stats/group-by.js";
import { originOf } from "../stats/url-address.js";
import { rethrowStart } from "../system/program.js";
import { protocolOfUrl } from "./url.js";

/** A backend that answers, as a balancer has to know it. */
export interface StartedBackend {
  readonly name: string;
  /** Origin it answers at; its scheme says what it speaks. */
  readonly url: string;
  readonly weight: number;
  /** The certificate to be trusted at its URL, where it was given one at its start. */
  readonly certificate?: string;
}

/** A backend, and what it is called. */
interface RunningBackend {
  readonly name: string;
  readonly running: RunningServer;
}

/** What a balancer speaks that passes on what its backends speak: the `protocol` of its plugin. */
export function protocolOfBackends(_options: unknown, ofBackends: Protocol = "http"): Protocol {
  return ofBackends;
}

/** What backends speak. All backends of one target speak the same protocol. */
export function spokenBy([first]: readonly StartedBackend[]): Protocol {
  return first === undefined ? "http" : protocolOfUrl(first.url);
}

/**
 * Starts backends, all at once, and then what stands in front of them; what comes back is both as one server. It stops the
 * front first. Rejects, with nothing left behind, with a {@link StartError} or the reason of an aborted signal.
 */
export async function startInFront(
  groups: readonly BackendGroup[],
  context: ServerContext,
  startFront: (backends: readonly StartedBackend[]) => Promise<RunningServer>,
): Promise<RunningServer> {
  const teardown = createTeardown();
  const names = backendNames(groups);
  const starts = groups.flatMap(({ server, options, weight }, group) =>
    (names[group] ?? []).map(async (name) => {
      const own = nameWithin(context, name);
      const running = await context
        .startServer({ server, options }, own)
        .catch((error: unknown) => rethrowStart(`The backend "${own}"`, error, context.signal));
      teardown.add(() => running.stop());
      const { url, certificate } = running;
      return { name, running, known: { name, weight, url: originOf(url), ...defined({ certificate }) } };
    }),
  );
  try {
    // All of them, so that one that starts after another has failed is stopped as well.
    await Promise.allSettled(starts);
    const backends = await Promise.all(starts);
    const front = await startFront(backends.map(({ known }) => known));
    teardown.add(() => front.stop());
    let stopping: Promise<void> | undefined;
    const behind = backends.map(({ running }) => running);
    const shares = front.backends ?? countedByBackends(backends);
    return {
      ...front,
      ...defined({ backends: shares && (async () => withOwnCounts(await shares(), backends)) }),
      processes: [front, ...behind].flatMap(({ processes }) => processes),
      processesNow: () => [front, ...behind].flatMap((one) => one.processesNow?.() ?? one.processes),
      parts: joinParts(front, backends, context),
      unseen: behind.some(({ unseen, processes }) => unseen === true || processes.length === 0),
      died: Promise.race([front, ...behind].map(({ died }) => died)),
      stop: () => (stopping ??= teardown.undo()),
    };
  } catch (error) {
    await teardown.undo();
    rethrowStart("The balancer", error, context.signal);
  }
}

/** The name of a part of a server that may be a part itself: `balancer`, or `backend-2 balancer`. */
export function nameWithin({ name }: Pick<ServerContext, "name">, part: string): string {
  return name === undefined ? part : `${name} ${part}`;
}

/** The parts of all servers, with parts of the same name as one: a backend can be killed by itself, and drained by its balancer. */
function joinParts(
  front: RunningServer,
  backends: readonly RunningBackend[],
  context: ServerContext,
): readonly FaultyPart[] {
  const named = new Map(backends.map(({ name, running }) => [nameWithin(context, name), running.parts ?? []]));
  const ofFront = front.parts ?? [];
  const inOrder = [
    ...ofFront.filter(({ name }) => !named.has(name)),
    ...[...named].flatMap(([name, own]) => [...own, ...ofFront.filter((part) => part.name === name)]),
  ];
  return [...groupBy(inOrder, ({ name }) => name).values()].map((same) => same.reduce(joinPart));
}

function joinPart(one: FaultyPart, other: FaultyPart): FaultyPart {
  return {
    ...one,
    can: [...one.can, ...other.can.filter((kind) => !one.can.includes(kind))],
    apply: (deed) => (one.can.includes(deed.kind) ? one : other).apply(deed),
  };
}

/** The counts of the backends themselves, if all of them count. */
function countedByBackends(backends: readonly RunningBackend[]): RunningServer["backends"] {
  if (backends.some(({ running }) => running.requests === undefined)) return undefined;
  const count = async ({ name, running }: RunningBackend) =>
    [name, { requests: (await running.requests?.()) ?? 0 }] as const;
  return async () => Object.fromEntries(await Promise.all(backends.map(count)));
}

/** What a balancer tells of each backend, by name. */
export type Shares = Readonly<Record<string, BackendMoment>>;

/** Adds to each share what its backend itself counts: a balancer may count requests that it has picked a backend for and given up. */
async function withOwnCounts(shares: Shares, backends: readonly RunningBackend[]): Promise<Shares> {
  const told = backends.map(async ({ name, running }): Promise<Shares> => {
    const share = shares[name];
    const asked = (async () => [await running.requests?.(), await running.connections?.()] as const)();
    const [received, connections] = await asked.catch(() => []);
    const own = defined({ received, connections: connections && { before: 0, ...connections } });
    return share === undefined ? {} : { [name]: { ...share, ...own } };
  });
  return Object.assign({}, shares, ...(await Promise.all(told))) as Shares;
}

/** Adds what was counted by backend before to what was counted since. */
export function addShares(before: Shares, since: Shares): Shares {
  const names = new Set([...Object.keys(before), ...Object.keys(since)]);
  const sumOf = (name: string): BackendMoment => ({
    ...sumShares([before[name], since[name]].filter((one) => one !== undefined)),
    ...defined({ inFlight: since[name]?.inFlight }),
  });
  return Object.fromEntries([...names].map((name) => [name, sumOf(name)]));
}
