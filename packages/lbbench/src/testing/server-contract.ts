import assert from "node:assert/strict";
import { formatPath } from "../config/config-error.js";
import { pluginMap, SERVER_KIND } from "../config/plugins.js";
import { resolveServer } from "../config/targets.js";
import type { RunningServer, Server, ServerChoice } from "../plugin.js";
import { createServerContext } from "../run/server-context.js";
import { builtInServers } from "../servers/built-in-servers.js";
import {
  acceptsConnections,
  expectGone,
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

/** Starts a server plugin with options as a user writes them; the built-in servers may stand behind it. */
export async function startPlugin(
  server: Server,
  options: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  const folder = process.cwd();
  const servers = pluginMap(SERVER_KIND, [...builtInServers, [server.name, server] as const], folder);
  const choice = { server: server.name, options: options as ServerChoice["options"] };
  const resolved = await resolveServer(choice, servers, (path) => `${server.name}: ${formatPath(path)}`);
  return server.start(resolved.options, createServerContext({ servers, folder, env: {} }, signal));
}

/**
 * What every server plugin has to do: answer when it has started, stay out of the way of another one, leave nothing
 * behind however it ends, and tell of its death. Processes are seen on Linux only; elsewhere ports tell.
 */
export function serverContract(server: Server, subject: ServerContractSubject): readonly ContractCase[] {
  const start: Start = (signal) => startPlugin(server, subject.options(), signal);
  return [
    ...servingCases(start),
    ...(subject.owns === false ? [] : owningCases(start)),
    ...abortCases(start),
    ...(subject.failing ?? []).map((failing) => failingCase(server, failing)),
  ];
}

type Start = (signal?: AbortSignal) => Promise<RunningServer>;

function servingCases(start: Start): readonly ContractCase[] {
  return [
    {
      name: "answers at its URL when it has started",
      run: () =>
        using(start, async ({ url }) => {
          if (/^https?:/.test(url)) return void (await (await fetch(url)).arrayBuffer());
          assert.ok(await acceptsConnections(url), `nothing accepts connections at ${url}`);
        }),
    },
    {
      name: "names its processes, each by a name of its own, and they are running",
      run: () =>
        using(start, async ({ processes }) => {
          const names = processes.map(({ name }) => name);
          assert.deepEqual(names, [...new Set(names)], "two processes have the same name");
          const pids = processes.map(({ pid }) => pid);
          assert.deepEqual(runningOf(pids), pids, "not all of the processes are running");
        }),
    },
    {
      name: "stops when it is asked to more than once, at once and later",
      run: async () => {
        const running = await start();
        await Promise.all([running.stop(), running.stop()]);
        await running.stop();
      },
    },
    {
      name: "does not report a death when it was asked to stop",
      run: async () => {
        const running = await start();
        let death: string | undefined;
        void running.died.then((how) => (death = how));
        await running.stop();
        await new Promise(setImmediate);
        assert.equal(death, undefined, "died has to stay pending after stop()");
      },
    },
  ];
}

/** What a server has to do that starts what answers. */
function owningCases(start: Start): readonly ContractCase[] {
  return [
    {
      name: "leaves neither a process nor a port when it was stopped",
      run: async () => {
        const descendants = followDescendants();
        const running = await start();
        await descendants.look();
        await running.stop();
        await expectNothingLeft(running, descendants);
      },
    },
    {
      name: "runs twice at once, and one goes on when the other is stopped",
      run: async () => {
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
      },
    },
    {
      name: "tells when one of its processes has died, whichever it is, and can be stopped then",
      run: async () => {
        const probe = await start();
        await probe.stop();
        for (const index of probe.processes.keys()) await expectDeathIsTold(start, index);
      },
    },
  ];
}

async function expectDeathIsTold(start: Start, index: number): Promise<void> {
  const descendants = followDescendants();
  const running = await start();
  await descendants.look();
  try {
    const victim = running.processes[index];
    assert.ok(victim, "the number of processes differs from start to start");
    process.kill(victim.pid, "SIGKILL");
    assert.match(await running.died, /\S/, `died has to say how "${victim.name}" ended`);
  } finally {
    await running.stop();
  }
  await expectNothingLeft(running, descendants);
}

function abortCases(start: Start): readonly ContractCase[] {
  return [
    {
      name: "does not start when it was aborted before",
      run: async () => {
        const descendants = followDescendants();
        await assert.rejects(start(AbortSignal.abort()));
        expectGone(await descendants.look());
      },
    },
    {
      name: "leaves nothing when it is aborted while it starts",
      run: async () => {
        const descendants = followDescendants();
        const running = await start();
        const { size: most } = await descendants.look();
        await running.stop();
        for (let count = 0; count <= most; count += 1) await expectAbortLeavesNothing(start, count);
      },
    },
  ];
}

/** Aborts as soon as so many processes have been seen; a start that was quicker is stopped instead. */
async function expectAbortLeavesNothing(start: Start, count: number): Promise<void> {
  const descendants = followDescendants();
  const controller = new AbortController();
  let settled = false;
  const starting = start(controller.signal).finally(() => (settled = true));
  const outcome = starting.catch(() => undefined);
  while (!settled && descendants.seen().size < count) await descendants.look();
  controller.abort();
  const running = await outcome;
  await descendants.look();
  await running?.stop();
  if (running === undefined) expectGone(descendants.seen());
  else await expectNothingLeft(running, descendants);
}

/** The case of a start that has to fail. */
function failingCase(server: Server, { when, options, says }: FailingStart): ContractCase {
  return {
    name: `rejects, with nothing left, when ${when}`,
    run: async () => {
      const descendants = followDescendants();
      const follow = setInterval(() => void descendants.look(), LOOK_INTERVAL_MS);
      let error: unknown;
      try {
        const running = await startPlugin(server, options());
        await running.stop();
      } catch (thrown) {
        error = thrown;
      } finally {
        clearInterval(follow);
      }
      assert.ok(error instanceof Error, "the start has to reject with an Error");
      for (const part of says) {
        const isSaid = typeof part === "string" ? error.message.includes(part) : part.test(error.message);
        assert.ok(isSaid, `the message has to contain ${part}, but is: ${error.message}`);
      }
      expectGone(await descendants.look());
    },
  };
}

/** Rejects when a process that was seen is running, or the port of a stopped server accepts connections. */
async function expectNothingLeft({ url, processes }: RunningServer, descendants: DescendantLog): Promise<void> {
  expectGone(new Set([...processes.map(({ pid }) => pid), ...descendants.seen()]));
  assert.equal(await acceptsConnections(url), false, `something still accepts connections at ${url}`);
}

async function using(start: Start, check: (running: RunningServer) => Promise<void>): Promise<void> {
  const running = await start();
  try {
    await check(running);
  } finally {
    await running.stop();
  }
}
