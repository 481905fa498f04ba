import assert from "node:assert/strict";
import { knownPlugins } from "../api/load-plugins.js";
import { formatPath } from "../config/validate.js";
import { resolveServer } from "../config/targets.js";
import type {
  FaultDeed,
  FaultKind,
  FaultyPart,
  HttpVersion,
  RunningServer,
  Server,
  ServerChoice,
  WatchedProcess,
} from "../plugin.js";
import { createServerContext } from "../run/server-context.js";
import { readProcStat } from "../system/proc.js";
import {
  acceptsConnections,
  expectGone,
  expectSaid,
  followDescendants,
  runningOf,
  type ContractCase,
  type DescendantLog,
} from "./contract.js";

/** A server plugin with all that is needed to try it. */
export interface ServerContractSubject {
  /** Options as a user writes them; asked for at every start, so that no two servers have to share a port. */
  readonly options: () => unknown;
  /** Starts that have to fail, and what their messages have to say. */
  readonly failing?: readonly FailingStart[];
  /** Whether it starts what answers, and so has to stop it; `true` by default. */
  readonly owns?: boolean;
}

/** A start that has to fail. */
export interface FailingStart {
  /** Ends the sentence "rejects, with nothing left, when ...": `the program exits at once`. */
  readonly when: string;
  /** Options as a user writes them. */
  readonly options: () => unknown;
  /** What the message has to contain: the name of what failed, the last lines it printed. */
  readonly says: readonly (string | RegExp)[];
}

/** How often processes are looked for while a start is under way that has to fail, in ms. */
const LOOK_INTERVAL_MS = 10;

/** Starts a server plugin with options as a user writes them, for clients of HTTP/1.1; the built-in servers may stand behind it. */
export async function startPlugin(
  server: Server,
  options: unknown,
  signal: AbortSignal = new AbortController().signal,
  httpVersion: HttpVersion = "1.1",
): Promise<RunningServer> {
  const folder = process.cwd();
  const { servers } = knownPlugins({ servers: [server] }, folder);
  const choice = { server: server.name, options: options as ServerChoice["options"] };
  const resolved = await resolveServer(choice, servers, (path) => `${server.name}: ${formatPath(path)}`);
  return server.start(resolved.options, createServerContext({ servers, folder, env: {}, httpVersion, signal }));
}

type Start = (signal?: AbortSignal) => Promise<RunningServer>;

/**
 * What every server plugin has to do: answer when it has started, stay out of the way of another one, leave nothing
 * behind however it ends, and tell of its death. Processes are seen on Linux only; elsewhere ports tell.
 */
export function serverContract(server: Server, subject: ServerContractSubject): readonly ContractCase[] {
  const { options, failing = [], owns = true } = subject;
  const start: Start = (signal) => startPlugin(server, options(), signal);
  const failures = failing.map(({ when, options: asked, says }): ContractCase => ({
    name: `rejects, with nothing left, when ${when}`,
    run: () => leaveNothing((descendants) => expectFailure(() => startPlugin(server, asked()), says, descendants)),
  }));
  // A server that does not start what answers does not stop it either, and `false` stands for these cases.
  const cases: Readonly<Record<string, (() => Promise<void>) | false>> = {
    "answers at its URL when it has started": () =>
      whileRunning(start, async ({ url }) => {
        if (/^https?:/.test(url)) await (await fetch(url)).arrayBuffer();
        else assert.ok(await acceptsConnections(url), `nothing accepts connections at ${url}`);
      }),
    "names its processes, each by a name of its own, and they are running": () =>
      whileRunning(start, async ({ processes }) => {
        const names = processes.map(({ name }) => name);
        assert.deepEqual(names, [...new Set(names)], "two processes have the same name");
        const pids = processes.map(({ pid }) => pid);
        assert.deepEqual(runningOf(pids), pids, "not all of the processes are running");
      }),
    "stops when it is asked to more than once, at once and later": () =>
      whileRunning(start, async (running) => {
        await Promise.all([running.stop(), running.stop()]);
      }),
    "does not report a death when it was asked to stop": () =>
      whileRunning(start, async (running) => {
        let death: string | undefined;
        void running.died.then((how) => (death = how));
        await running.stop();
        await new Promise(setImmediate);
        assert.equal(death, undefined, "died has to stay pending after stop()");
      }),
    "leaves neither a process nor a port when it was stopped":
      owns && (() => leaveNothing((descendants) => runAndStop(start, descendants))),
    "runs twice at once, and one goes on when the other is stopped": owns && (() => expectIndependence(start)),
    "tells when one of its processes has died, whichever it is, and can be stopped then":
      owns &&
      (async () => {
        let count = 1;
        for (let index = 0; index < count; index += 1) {
          await leaveNothing(async (descendants) => {
            const running = await runAndStop(start, descendants, index);
            count = running.processes.length;
            return running;
          });
        }
      }),
    "does to its parts what they say they can, is whole again when that is undone, and has not died":
      owns && (() => leaveNothing((descendants) => tryFaults(start, descendants))),
    "leaves nothing when it is stopped while a part is halted or gone, or just being started":
      owns && (() => stopAmidFaults(start)),
    "does not start when it was aborted before": () =>
      leaveNothing(async (descendants) => {
        await assert.rejects(start(AbortSignal.abort()));
        await descendants.look();
      }),
    "leaves nothing when it is aborted while it starts": async () => {
      const descendants = followDescendants();
      const running = await start();
      const { size: most } = await descendants.look();
      await running.stop();
      for (let count = 0; count <= most; count += 1) await leaveNothing((log) => abortAt(count, start, log));
    },
  };
  return [...Object.entries(cases).flatMap(([name, run]) => (run === false ? [] : [{ name, run }])), ...failures];
}

/** Stops what it has started, whatever the check says. */
export async function whileRunning(start: Start, check: (running: RunningServer) => Promise<void>): Promise<void> {
  const running = await start();
  try {
    await check(running);
  } finally {
    await running.stop();
  }
}

/** Rejects when a process is left that was seen, or the port of the stopped server that `act` resolves with accepts connections. */
async function leaveNothing(act: (descendants: DescendantLog) => Promise<RunningServer | void>): Promise<void> {
  const descendants = followDescendants();
  const stopped = await act(descendants);
  expectGone(new Set([...(stopped?.processes ?? []).map(({ pid }) => pid), ...descendants.seen()]));
  if (stopped === undefined) return;
  assert.equal(await acceptsConnections(stopped.url), false, `something still accepts connections at ${stopped.url}`);
}

async function expectIndependence(start: Start): Promise<void> {
  const both = await Promise.allSettled([start(), start()]);
  const running = both.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  try {
    for (const outcome of both) if (outcome.status === "rejected") throw outcome.reason;
    const [first, second] = running;
    assert.notEqual(first?.url, second?.url, "both have the same URL");
    await first?.stop();
    assert.ok(await acceptsConnections(second?.url ?? ""), "the second one stopped with the first");
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
}

/** Stops a server that has started, or whose process of that number was killed and which has told of the death. */
async function runAndStop(start: Start, descendants: DescendantLog, victim = -1): Promise<RunningServer> {
  const running = await start();
  await descendants.look();
  try {
    for (const { pid, name } of running.processes.filter((_, index) => index === victim)) {
      process.kill(pid, "SIGKILL");
      assert.match(await running.died, /\S/, `died has to say how "${name}" ended`);
    }
  } finally {
    await running.stop();
  }
  return running;
}

/** Aborts a start as soon as so many processes have been seen; one that was quicker is stopped instead. */
async function abortAt(count: number, start: Start, descendants: DescendantLog): Promise<RunningServer | void> {
  const controller = new AbortController();
  let settled = false;
  const starting = start(controller.signal).finally(() => (settled = true));
  const outcome = starting.catch(() => undefined);
  while (!settled && descendants.seen().size < count) await descendants.look();
  controller.abort();
  const running = await outcome;
  await descendants.look();
  await running?.stop();
  return running;
}

/** Rejects unless a start does, with a message that has all of these. */
async function expectFailure(start: Start, says: FailingStart["says"], descendants: DescendantLog): Promise<void> {
  const follow = setInterval(() => void descendants.look(), LOOK_INTERVAL_MS);
  const error: unknown = await start()
    .then((running) => running.stop())
    .catch((thrown: unknown) => thrown)
    .finally(() => clearInterval(follow));
  assert.ok(error instanceof Error, "the start has to reject with an Error");
  for (const part of says) expectSaid(error.message, part);
  await descendants.look();
}

/** What is done to a part that can do it, in this order, and what undoes that. */
const FAULTS: readonly (readonly [FaultDeed, undoneBy?: FaultDeed])[] = [
  [
    { kind: "slow", byMs: 1 },
    { kind: "slow", byMs: 0 },
  ],
  [
    { kind: "errors", share: 1 },
    { kind: "errors", share: 0 },
  ],
  [{ kind: "reload" }],
  [{ kind: "drain" }, { kind: "restore" }],
  [{ kind: "pause" }, { kind: "resume" }],
  [{ kind: "kill" }, { kind: "start" }],
  [{ kind: "stop" }, { kind: "start" }],
];

const can = (part: FaultyPart, kind: FaultKind | undefined): boolean => kind === undefined || part.can.includes(kind);

/** Does to each part all that it can. Elsewhere than on Linux it is not seen whether a process is halted. */
async function tryFaults(start: Start, descendants: DescendantLog): Promise<RunningServer> {
  let running = await start();
  for (let index = 0; ; index += 1) {
    let [death, isWhole]: [string | undefined, boolean] = [undefined, true];
    try {
      await descendants.look();
      void running.died.then((how) => (death = how));
      const { parts = [] } = running;
      const names = parts.map(({ name }) => name);
      assert.deepEqual(names, [...new Set(names)], "two parts have the same name");
      // The last first: those before may be what they are part of, whose processes are others afterwards.
      const part = parts.toReversed()[index];
      if (part === undefined) break;
      isWhole = await tryPart(part, running);
      await descendants.look();
      await new Promise(setImmediate);
      assert.equal(death, undefined, "died has to stay pending for what a fault has ended");
    } catch (error) {
      await running.stop();
      throw error;
    }
    if (isWhole) continue;
    await running.stop();
    running = await start();
  }
  await running.stop();
  return running;
}

/** Resolves with whether it is whole again. */
async function tryPart(part: FaultyPart, { url, processes, processesNow }: RunningServer): Promise<boolean> {
  const before = await statusOf(url);
  const ofPart = (all: readonly WatchedProcess[]): readonly WatchedProcess[] =>
    all.filter(({ name }) => `${name} `.startsWith(`${part.name} `));
  const namesOf = (all: readonly WatchedProcess[]): readonly string[] => all.map(({ name }) => name);
  let pids = runningOf(ofPart(processes).map(({ pid }) => pid));
  const expectState = (kind: FaultKind): void => {
    const areGone = kind === "kill" || kind === "stop";
    if (areGone) assert.deepEqual(runningOf(pids), [], `"${part.name}" has to be gone after ${kind}`);
    if (areGone) pids = [];
    if (kind === "start" && processesNow !== undefined) {
      const now = processesNow();
      assert.deepEqual(namesOf(now), namesOf(processes), `the processes to watch after start of "${part.name}"`);
      pids = ofPart(now).map(({ pid }) => pid);
      assert.deepEqual(runningOf(pids), pids, `not all of "${part.name}" are running after start`);
    }
    if (process.platform !== "linux" || (kind !== "pause" && kind !== "resume")) return;
    const halted = pids.filter((pid) => readProcStat(pid)?.isHalted === true);
    assert.deepEqual(
      halted,
      kind === "pause" ? pids : [],
      `the processes of "${part.name}" that are halted after ${kind}`,
    );
  };
  for (const [fault, undoing] of FAULTS) {
    if (!can(part, fault.kind)) continue;
    await part.apply(fault);
    expectState(fault.kind);
    // What is gone for good ends the trial of the part.
    if (!can(part, undoing?.kind)) return false;
    if (undoing !== undefined) await part.apply(undoing);
    if (undoing !== undefined) expectState(undoing.kind);
    assert.equal(await statusOf(url), before, `the answer after ${fault.kind} and ${undoing?.kind} of "${part.name}"`);
  }
  return true;
}

/** The status of an answer, where there are statuses; rejects where nothing accepts connections. */
async function statusOf(url: string): Promise<number | undefined> {
  if (!/^https?:/.test(url)) {
    assert.ok(await acceptsConnections(url), `nothing accepts connections at ${url}`);
    return undefined;
  }
  const answer = await fetch(url, { headers: { connection: "close" } });
  await answer.arrayBuffer();
  return answer.status;
}

/** Stops it in the middle of each fault that takes a process away, for each part. */
async function stopAmidFaults(start: Start): Promise<void> {
  const first = await start();
  await first.stop();
  const moments: readonly (readonly FaultKind[])[] = [["pause"], ["kill"], ["kill", "start"]];
  const cases = (first.parts ?? []).flatMap((part) =>
    moments.filter((kinds) => kinds.every((kind) => can(part, kind))).map((kinds) => ({ name: part.name, kinds })),
  );
  for (const { name, kinds } of cases) {
    await leaveNothing(async (descendants) => {
      const running = await start();
      const part = running.parts?.find((one) => one.name === name);
      const pending: Promise<unknown>[] = [];
      for (const kind of kinds) {
        const doing = part?.apply({ kind });
        // A start that is under way may fail, as the server is to be stopped.
        if (kind === "start") pending.push(Promise.allSettled([doing]));
        else await doing;
      }
      await descendants.look();
      await running.stop();
      await Promise.all(pending);
      await descendants.look();
      return running;
    });
  }
}
