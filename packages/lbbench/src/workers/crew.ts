/** Workers, often on other machines, in the place of generator processes: who comes and goes, and how they generate one load together. */
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { hostname } from "node:os";
import { TOKEN_VARIABLE } from "../config/defaults.js";
import type { Generator, GeneratorLoad } from "../engines/generator.js";
import { GENERATOR_ENTRY } from "../engines/generators.js";
import { splitEvenly } from "../engines/shares.js";
import type { ChildPool, RemoteChild } from "../model/child.js";
import type { Workers } from "../model/scenario.js";
import { TOOL } from "../own-package.js";
import { sum } from "../stats/descriptive.js";
import { countOf } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { closedConnections } from "../stats/load.js";
import { addressFromElsewhere, connectedTo, isLoopback, type Address } from "../stats/url-address.js";
import { StartError } from "../system/program.js";
import { deferred, unless } from "../system/settle.js";
import { limitLoads, openCalls, WorkerError, type CrewCalls, type Hello, type WorkerCalls } from "./calls.js";
import { startMaster, type Master, type MasterEvent } from "./master.js";
import { runWorkerBySsh } from "./ssh.js";

/** A pool whose processes are workers. */
export interface Crew extends ChildPool {
  /** Resolves when all workers have come; rejects as {@link gatherCrew} does. */
  readonly complete: (signal: AbortSignal) => Promise<void>;
}

/** Listeners while workers are gathered. */
export interface CrewListeners {
  /** The master listens, and workers that know the token may come. The token is given if it was made for this run. */
  readonly onListening?: (master: Address, token: string | undefined) => void;
  /** A peer without the token was refused. */
  readonly onRefused?: (id: string) => void;
}

/** A peer at the port, which is a worker of the run once it has said hello. */
interface Member extends ReturnType<typeof openCalls<WorkerCalls, CrewCalls>> {
  readonly id: string;
  /** Unique among the workers of a run. */
  name: string;
  hello?: Hello;
  /** It does not know the token, and was told so. */
  isStranger: boolean;
  /** Rejects with a {@link WorkerError} when it is lost. */
  readonly lost: ReturnType<typeof deferred<never>>;
  /** When its generator was last started, on the clock of this process. */
  startedMs: number;
}

/** What the master tells of a worker that is lost. */
const LOSSES = {
  gone: "it has left",
  missing: "its heartbeats did not come for 4 s",
  returned: "it connected anew in the middle of a run",
} as const;

/**
 * Starts a master and waits until as many workers have come as are asked for. Rejects, with nothing left behind: with a `StartError` where the
 * master cannot be started or too few workers come in time; with a {@link WorkerError} for a worker of another version of lbbench; with the
 * reason of the signal.
 *
 * @param how starts the master and a worker by ssh; without it Locust and the system's `ssh`.
 */
export async function gatherCrew(
  { from, hosts = [], count, listen, waitMs, command }: Workers,
  { onListening, onRefused }: CrewListeners,
  signal: AbortSignal,
  how: { readonly start?: typeof startMaster; readonly runBySsh?: typeof runWorkerBySsh } = {},
): Promise<Crew> {
  const { start = startMaster, runBySsh = runWorkerBySsh } = how;
  const workers = countOf(count, "worker");
  const given = process.env[TOKEN_VARIABLE];
  // The line that starts a worker is to fit into 80 columns.
  const token = given || randomBytes(18).toString("base64url");
  const members = new Map<string, Member>();
  const present = (): readonly Member[] => [...members.values()].filter(({ hello }) => hello !== undefined);
  const news = new EventEmitter();
  const over = new AbortController();
  let isGathered = false;
  /** Why there is no use in waiting. */
  let failure: Error | undefined;

  const dismiss = (member: Member, reason: string): void => {
    members.delete(member.id);
    void member.calls.dismiss.asEvent(reason);
    news.emit("change");
  };
  const lose = (member: Member, why: string): void => {
    member.lost.reject(new WorkerError("WORKER_LOST", `The worker ${member.name} was lost: ${why}`));
    // A worker that was only silent must not go on.
    dismiss(member, `The master took it for lost: ${why}`);
  };
  const greet = (member: Member, hello: Hello): void => {
    const { version, host } = hello;
    const names = new Set(present().map(({ name }) => name));
    if (version !== TOOL.version) {
      const reason = `The worker on ${host} has lbbench ${version}, this is ${TOOL.version}. Install the same version on both.`;
      if (!isGathered) failure ??= new WorkerError("WORKERS_DIFFER", reason);
      dismiss(member, reason);
    } else if (names.size >= count) {
      dismiss(member, `The master has all ${workers} that it waits for.`);
    } else {
      [member.hello, member.name] = [hello, host];
      for (let number = 2; names.has(member.name); number += 1) member.name = `${host}-${number}`;
      news.emit("change");
    }
  };
  const admit = (id: string): Member => {
    const line = openCalls<WorkerCalls, CrewCalls>(
      { hello: (hello) => greet(member, hello), started: () => void (member.startedMs = performance.now()) },
      { token, end: "master", worker: id },
      (text) => master.send(id, text),
    );
    const member: Member = { ...line, id, name: id, isStranger: false, lost: deferred(), startedMs: 0 };
    members.set(id, member);
    return member;
  };
  const onEvent = (told: MasterEvent): void => {
    if (told.event === "ready") return;
    const known = members.get(told.worker);
    if (told.event !== "message") return known && lose(known, LOSSES[told.event]);
    const member = known ?? admit(told.worker);
    const heard = member.receive(told.data);
    if (heard === "gap") return lose(member, "a message of it was lost on the way");
    if (heard === "read" || member.hello !== undefined || member.isStranger) return;
    member.isStranger = true;
    void member.calls.dismiss.asEvent("It does not know the token of this run.");
    onRefused?.(member.id);
  };
  const master = await start(listen.host, listen.port, onEvent, signal);
  void master.died.then((why) => {
    failure ??= new StartError(why);
    for (const member of members.values()) lose(member, why);
    news.emit("change");
  });

  /** The ssh of each worker by its place, so that a worker that has ended can be started again. */
  const connections = new Map<number, Promise<void>>();
  const complete = async (until: AbortSignal): Promise<void> => {
    const late = new AbortController();
    // Node 20 forgets an AbortSignal.timeout that AbortSignal.any alone knows, and would wait for ever.
    const timer = setTimeout(() => late.abort(), waitMs);
    const stop = AbortSignal.any([until, late.signal, over.signal]);
    /** Places that may still be connected. The ssh of a worker that was only silent ends late. */
    const left = new Map(hosts.entries());
    while (present().length < count && failure === undefined && !stop.aborted) {
      for (const [place, host] of left) {
        if (connections.has(place)) continue;
        left.delete(place);
        const ended = runBySsh(host, master, token, { command, signal: over.signal }).catch((error: Error) => {
          connections.delete(place);
          // Before the first step this says why workers are missing; later the loss of the worker does.
          if (!isGathered && !over.signal.aborted) failure ??= error;
          news.emit("change");
        });
        connections.set(place, ended);
      }
      await once(news, "change", { signal: stop }).catch(() => {});
    }
    clearTimeout(timer);
    until.throwIfAborted();
    if (failure !== undefined) throw failure;
    const names = present().map(({ name }) => name);
    if (names.length >= count) return;
    const which = names.length === 0 ? "" : ` (${names.join(", ")})`;
    const advice =
      from === "ssh"
        ? `Ask the hosts why: lbbench doctor --workers ssh:${hosts.join(",")}`
        : `Start the others: lbbench worker --master ${addressFromElsewhere(master)}`;
    throw new StartError(`Expected ${workers} within ${waitMs / 1000} s, got ${names.length}${which}. ${advice}`);
  };
  const close = async (): Promise<void> => {
    // The master tells the workers, and so each ssh ends by itself.
    await master.close();
    over.abort();
    await Promise.all(connections.values());
  };
  const acquire = (entry: string, asked: number) => {
    const all = present();
    if (entry !== GENERATOR_ENTRY) throw new Error(`Workers cannot run ${entry}`);
    if (all.length < count) throw new WorkerError("WORKER_LOST", `Expected ${workers}, there are only ${all.length}.`);
    if (asked < count) {
      throw new StartError(
        `Expected at least as many connections as workers, got ${countOf(asked, "connection")} for ${workers}. ` +
          "Use more connections, or fewer workers.",
      );
    }
    return generatorsOf(inLocustsOrder(all), master, lose) as never;
  };
  try {
    onListening?.(master, given ? undefined : token);
    await complete(signal);
    isGathered = true;
    return { complete, acquire, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Locust deals users out in this order: by host in turn, then by id. */
function inLocustsOrder(members: readonly Member[]): readonly Member[] {
  const byId = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const hosts = [...groupBy(byId, ({ id }) => id.split("_")[0] ?? id).values()];
  return byId.flatMap((_, turn) => hosts.flatMap((ofHost) => ofHost[turn] ?? []));
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
  const even = loads.some(({ level }) => level.rate !== undefined) ? [] : splitEvenly(sum(shares), shares.length);
  return shares.every((share, index) => share === even[index]) ? even : loads.map(() => 1);
}

/** The workers, as generators of one load: it begins on all when the last is called, and is over when Locust has counted as they have. */
function generatorsOf(
  members: readonly Member[],
  master: Master,
  lose: (member: Member, why: string) => void,
): readonly RemoteChild<Generator>[] {
  const loads: GeneratorLoad[] = [];
  const agreed = deferred<void>();
  let [waited, left, total] = [members.length, members.length, 0];
  /** Calls a worker for a load, which it begins when Locust starts its users there. */
  const begin = <T>(index: number, call: (users: number) => Promise<T>): Promise<T> => {
    const users = usersOf(loads);
    const called = call(users[index] ?? 0);
    waited -= 1;
    if (waited === 0) master.startUsers(sum(users));
    return called;
  };
  /** Ends the users; after a failure there is no sum. */
  const agree = async (): Promise<void> => {
    const { requests } = await master.stopUsers().catch((error: Error) => {
      throw new WorkerError("WORKER_LOST", error.message);
    });
    if (requests === total || Number.isNaN(total)) return;
    throw new WorkerError("WORKERS_DIFFER", `The workers sent ${total} requests, Locust counted ${requests}.`);
  };
  /** Enters what one has sent, and of the last one waits until Locust has ended its users. */
  const end = async (ofOne: number): Promise<void> => {
    total += ofOne;
    left -= 1;
    if (left > 0) return;
    agreed.resolve(agree());
    await agreed.promise.catch(() => {});
  };
  return members.map((member, index) => {
    const { name, hello: { host = "", cores = 1 } = {}, calls, lost } = member;
    const limit = limitLoads(() => lose(member, "it did not answer for longer than a load can take"));
    const fail = ({ message, code }: Partial<WorkerError>): never => {
      const why = `The worker ${name} failed: ${message?.replace(/\.$/, "")}.`;
      throw code === "WORKER_LOST" || code === "WORKERS_DIFFER" ? new WorkerError(code, why) : new Error(why);
    };
    const asked = <T>(answer: Promise<T>): Promise<T> => limit.within(unless(lost.promise, answer.catch(fail)));
    return {
      place: "remote",
      name,
      call: {
        prepare: async (load: GeneratorLoad) => {
          const { host: target = "localhost" } = connectedTo(load.url, load.connectTo) ?? {};
          if (isLoopback(target) && host !== hostname()) {
            throw new StartError(
              `${load.connectTo ?? load.url} names the machine of each worker, as ${name}, and not this one. Use an address that the workers can reach.`,
            );
          }
          loads[index] = load;
          limit.begin(load);
          await asked(calls.prepare(load));
        },
        fill: (limitMs: number) => begin(index, (users) => asked(calls.fill({ limitMs, users }))),
        settle: (limitMs: number) => asked(calls.settle(limitMs)),
        run: async (startNs: bigint, durationMs?: number) => {
          limit.extend(durationMs);
          const load = loads[index] as GeneratorLoad;
          const leadMs = Math.max(0, Number(startNs - process.hrtime.bigint()) / 1e6);
          const run = (users?: number) => asked(calls.run({ leadMs, users, durationMs }));
          // A load that has begun goes on.
          const running = load.atStart === "fill" ? run() : begin(index, run);
          const { machineCpu, ...report } = await running.catch(async (error: unknown) => {
            await end(Number.NaN);
            throw error;
          });
          const { sent } = report.record.requests;
          await end(sent);
          await agreed.promise;
          const share = shareOf(load);
          const startSkewMs = member.startedMs - Math.min(...members.map(({ startedMs }) => startedMs));
          return { ...report, worker: { name, host, share, sent, ...report.usage, machineCpu, cores, startSkewMs } };
        },
        progress: (second: number) => asked(calls.progress(second)),
        cut: async () => void calls.cut.asEvent(),
      },
    };
  });
}
