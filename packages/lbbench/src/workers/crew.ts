/** Workers, often on other machines, in the place of generator processes: an engine calls a worker as it calls a generator. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { BirpcReturn } from "birpc";
import type { ChildPool, RemoteChild } from "../model/child.js";
import type { Workers } from "../model/scenario.js";
import type { Generator, GeneratorLoad } from "../engines/generator.js";
import type { Fill } from "../engines/load-run.js";
import { GENERATOR_ENTRY } from "../engines/generators.js";
import { splitEvenly } from "../engines/shares.js";
import { TOKEN_VARIABLE } from "../config/defaults.js";
import { TOOL } from "../own-package.js";
import { StartError } from "../system/program.js";
import { closedConnections } from "../stats/load.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { addressFromElsewhere, isLoopback } from "../stats/url-address.js";
import { startMaster, type Master, type MasterEvent } from "./master.js";
import { startWorkersBySsh, type SshWorkers } from "./ssh.js";
import {
  deferred,
  openCalls,
  WorkerError,
  type Answer,
  type CrewCalls,
  type Deferred,
  type Hello,
  type WorkerCalls,
} from "./worker.js";

/** A pool whose processes are workers. */
export interface Crew extends ChildPool {
  /** Resolves when all workers have come; rejects as {@link gatherCrew} does. */
  readonly complete: (signal: AbortSignal) => Promise<void>;
  /** Where the master listens, and of which Locust it is. */
  readonly master: Pick<Master, "host" | "port" | "locust">;
}

/** Listeners while workers are gathered. */
export interface CrewListeners {
  /** The master listens, and workers that know the token may come. The token is given if it was made for this run. */
  readonly onListening?: (master: Crew["master"], token: string | undefined) => void;
  /** A peer without the token was refused. */
  readonly onRefused?: (id: string) => void;
}

/** A worker that has come. */
interface Member {
  readonly id: string;
  readonly calls: BirpcReturn<WorkerCalls, CrewCalls>;
  readonly receive: (text: string) => boolean;
  hello?: Hello;
  /** Unique among the workers of a run. */
  name: string;
  /** Rejects with a {@link WorkerError} when it is lost. */
  readonly lost: Deferred<never>;
  onStarted: () => void;
}

/**
 * Starts a master and waits until as many workers have come as are asked for. Rejects, with nothing left behind: with a `StartError` where the
 * master cannot be started or too few workers come in time; with a {@link WorkerError} for a worker of another version of lbbench; with the
 * reason of the signal.
 *
 * @param start starts the master; Locust without it.
 */
export async function gatherCrew(
  choice: Workers,
  { onListening, onRefused }: CrewListeners,
  signal: AbortSignal,
  start: typeof startMaster = startMaster,
): Promise<Crew> {
  const { from, hosts = [], count, listen, waitMs, command } = choice;
  const members = new Map<string, Member>();
  const strangers = new Set<string>();
  const given = process.env[TOKEN_VARIABLE];
  const token = given || randomBytes(TOKEN_BYTES).toString("base64url");
  let changed = deferred<void>();
  let refusal: Error | undefined;
  const notify = (): void => {
    changed.resolve();
    changed = deferred();
  };
  const present = (): readonly Member[] => [...members.values()].filter(({ hello }) => hello);
  const lose = (id: string, why: string): void => {
    const member = members.get(id);
    if (member === undefined) return;
    members.delete(id);
    member.lost.reject(new WorkerError("WORKER_LOST", `The worker ${member.name} was lost: ${why}`));
    // A worker that was only silent must not go on.
    void member.calls.dismiss.asEvent(`The master took it for lost: ${why}`);
    notify();
  };
  const greet = (member: Member, hello: Hello): void => {
    const { version, host } = hello;
    const dismiss = (reason: string): void => {
      members.delete(member.id);
      void member.calls.dismiss.asEvent(reason);
    };
    if (version !== TOOL.version) {
      const reason = `The worker on ${host} has lbbench ${version}, this is ${TOOL.version}. Install the same version on both.`;
      if (!isStarted) refusal ??= new WorkerError("WORKERS_DIFFER", reason);
      dismiss(reason);
    } else if (present().length >= count) {
      dismiss(`The master has all ${countOf(count, "worker")} that it waits for.`);
    } else {
      const taken = new Set(present().map(({ name }) => name));
      member.name = host;
      for (let number = 2; taken.has(member.name); number += 1) member.name = `${host}-${number}`;
      member.hello = hello;
    }
    notify();
  };
  const memberOf = (id: string): Member => {
    const known = members.get(id);
    if (known !== undefined) return known;
    const { calls, receive } = openCalls<WorkerCalls, CrewCalls>(
      { hello: (hello) => greet(member, hello), started: () => member.onStarted() },
      { token, end: "master", worker: id },
      (text) => master.send(id, text),
    );
    const member: Member = { id, calls, receive, name: id, lost: deferred(), onStarted: () => {} };
    members.set(id, member);
    return member;
  };
  const onEvent = (told: MasterEvent): void => {
    const { worker } = told;
    if (told.event === "message") {
      const { receive, calls, hello } = memberOf(worker);
      if (receive(told.data) || hello !== undefined || strangers.has(worker)) return;
      strangers.add(worker);
      void calls.dismiss.asEvent("It does not know the token of this run.");
      onRefused?.(worker);
    } else if (told.event !== "ready") lose(worker, LOSSES[told.event]);
  };
  const master = await start(listen.host, listen.port, onEvent, signal);
  const over = new AbortController();
  let end: string | undefined;
  let isStarted = false;
  /** The ssh of each worker by its place, so that a worker that has ended can be started again. */
  const starts = new Map<string, SshWorkers>();
  const startByHost = (): void => {
    for (const [index, host] of hosts.entries()) {
      const place = `${index} ${host}`;
      if (starts.has(place)) continue;
      const started = startWorkersBySsh([host], master, { command, token, signal: over.signal });
      starts.set(place, started);
      started.lost.catch((error: unknown) => {
        starts.delete(place);
        // Before the first step this says why workers are missing; later the loss of the worker does.
        if (!isStarted && !over.signal.aborted) refusal ??= error as Error;
        notify();
      });
    }
  };
  void master.died.then((how) => {
    end = how;
    for (const id of members.keys()) lose(id, how);
    notify();
  });
  const complete = async (until: AbortSignal): Promise<void> => {
    if (from === "ssh") startByHost();
    const limit = AbortSignal.timeout(waitMs);
    const stop = AbortSignal.any([until, limit, over.signal]);
    const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
    while (present().length < count && refusal === undefined && end === undefined && !stop.aborted) {
      await Promise.race([changed.promise, stopped]);
    }
    until.throwIfAborted();
    if (refusal !== undefined) throw refusal;
    if (end !== undefined) throw new StartError(end);
    const names = present().map(({ name }) => name);
    if (names.length < count) {
      const which = names.length === 0 ? "" : ` (${names.join(", ")})`;
      const advice =
        from === "ssh"
          ? `Ask the hosts why: lbbench doctor --workers ssh:${hosts.join(",")}`
          : `Start the others: lbbench worker --master ${addressFromElsewhere(master)}`;
      throw new StartError(
        `Expected ${countOf(count, "worker")} within ${waitMs / 1000} s, got ${names.length}${which}. ${advice}`,
      );
    }
  };
  const close = async (): Promise<void> => {
    // The master tells the workers, and so each ssh ends by itself.
    await master.close();
    over.abort();
    await Promise.all([...starts.values()].map(({ stop }) => stop()));
  };
  const crew: Crew = {
    master,
    complete,
    close,
    acquire: (entry, asked) => {
      const all = present();
      if (entry !== GENERATOR_ENTRY) throw new Error(`Workers cannot run ${entry}`);
      if (all.length < count) {
        throw new WorkerError("WORKER_LOST", `Expected ${countOf(count, "worker")}, there are only ${all.length}.`);
      }
      if (asked < count) {
        throw new StartError(
          `Expected at least as many connections as workers, got ${countOf(asked, "connection")} for ${countOf(count, "worker")}. ` +
            "Use more connections, or fewer workers.",
        );
      }
      return childrenOf(inLocustsOrder(all), master) as never;
    },
  };
  try {
    onListening?.(master, given ? undefined : token);
    await complete(signal);
    isStarted = true;
    return crew;
  } catch (error) {
    await close();
    throw error;
  }
}

/** The line that starts a worker is to fit into 80 columns. */
const TOKEN_BYTES = 18;

const LOSSES = {
  gone: "it has left",
  missing: "its heartbeats did not come for 4 s",
  returned: "it connected anew in the middle of a run",
} as const;

/** Locust deals users out in this order: by host in turn, then by id. */
function inLocustsOrder(members: readonly Member[]): readonly Member[] {
  const byId = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const hosts = [...groupBy(byId, ({ id }) => id.split("_")[0] ?? id).values()];
  const turns = hosts.flatMap((ofHost) => ofHost.map((member, turn) => ({ member, turn })));
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ member }) => member);
}

/** The share of a level that a generator gets: connections, users or requests per second. */
function shareOf({ level, place }: GeneratorLoad): number {
  if (level.rate !== undefined) return level.rate / place.of;
  if (level.users !== undefined) return splitEvenly(level.users, place.of)[place.index] ?? 0;
  return closedConnections(level);
}

/** How many users Locust starts on each worker: connections or users where it splits them as we do, else one on each. */
function usersOf(loads: readonly GeneratorLoad[]): readonly number[] {
  const shares = loads.map(shareOf);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const isSame = loads.every(({ level }) => level.rate === undefined) && splitEvenly(total, shares.length);
  return isSame && isSame.every((share, index) => share === shares[index]) ? isSame : loads.map(() => 1);
}

/** The workers, as generators of one load. */
function childrenOf(members: readonly Member[], master: Master): readonly RemoteChild<Generator>[] {
  const loads: GeneratorLoad[] = [];
  const startedMs: number[] = [];
  let sent = 0;
  let [begun, ended] = [0, 0];
  const over = deferred<void>();
  /** When the last has reported Locust is to have the same sum. */
  const endOne = async (): Promise<void> => {
    ended += 1;
    if (ended < members.length) return;
    try {
      const { requests } = await master.stopUsers();
      const differ = new WorkerError(
        "WORKERS_DIFFER",
        `The workers sent ${sent} requests, Locust counted ${requests}.`,
      );
      if (requests === sent) over.resolve();
      else over.reject(differ);
    } catch (error) {
      over.reject(new WorkerError("WORKER_LOST", error instanceof Error ? error.message : String(error)));
    }
  };
  return members.map((member, index) => {
    const { name, hello, calls, lost } = member;
    const asked = async <T>(answer: Promise<Answer<T>>): Promise<T> => {
      const told = await Promise.race([answer, lost.promise]);
      if ("code" in told) throw new WorkerError(told.code, `The worker ${name} failed: ${told.message}.`);
      return told.value;
    };
    /** Calls a worker for a load, which it begins when Locust starts its users: when all are called. */
    const beginUsers = <T>(call: (users: number) => Promise<T>): Promise<T> => {
      const users = usersOf(loads);
      const called = call(users[index] ?? 0);
      begun += 1;
      if (begun === members.length) master.startUsers(users.reduce((sum, count) => sum + count, 0));
      return called;
    };
    let isFilled = false;
    const fill = (limitMs: number): Promise<Fill> => {
      isFilled = true;
      return beginUsers((users) => asked(calls.fill({ limitMs, users })));
    };
    const run = async (startNs: bigint, durationMs?: number) => {
      member.onStarted = () => (startedMs[index] = performance.now());
      const leadMs = Math.max(0, Number(startNs - process.hrtime.bigint()) / 1e6);
      const lasting = durationMs === undefined ? {} : { durationMs };
      // A load that has begun goes on.
      const running = isFilled
        ? asked(calls.run({ leadMs, ...lasting }))
        : beginUsers((users) => asked(calls.run({ leadMs, users, ...lasting })));
      const { machineCpu, ...report } = await running.then(
        async (done) => {
          sent += done.record.requests.sent;
          await Promise.all([over.promise, endOne()]);
          return done;
        },
        async (error: unknown) => {
          sent = Number.NaN;
          await endOne();
          throw error;
        },
      );
      const { cpu, rssBytes, eventLoopUtilization } = report.usage;
      const worker = {
        name,
        host: hello?.host ?? name,
        share: shareOf(loads[index] as GeneratorLoad),
        sent: report.record.requests.sent,
        cpu,
        machineCpu,
        cores: hello?.cores ?? 1,
        rssBytes,
        eventLoopUtilization,
        startSkewMs: (startedMs[index] ?? 0) - Math.min(...startedMs),
      };
      return { ...report, worker };
    };
    return {
      place: "remote",
      name,
      call: {
        prepare: async (load: GeneratorLoad) => {
          if (isLoopback(new URL(load.url).hostname) && hello?.host !== hostname()) {
            throw new StartError(
              `${load.url} names the machine of each worker, as ${name}, and not this one. Use an address that the workers can reach.`,
            );
          }
          loads[index] = load;
          await asked(calls.prepare(load));
        },
        fill,
        settle: (limitMs: number) => asked(calls.settle(limitMs)),
        run,
        progress: (second: number) => asked(calls.progress(second)),
        cut: async () => void calls.cut.asEvent(),
      },
    };
  });
}
