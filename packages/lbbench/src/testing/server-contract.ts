import assert from "node:assert/strict";
import type { RunningServer, Server } from "../plugin.js";
import type { ContractCase } from "./contract-case.js";
import { acceptsConnections } from "./ports.js";
import { followDescendants, isRunning, runningOf } from "./processes.js";
import { failingStartCases, type FailingStart } from "./failing-start.js";
import { expectNothingLeft, startServer } from "./started-server.js";

/** A server plugin with all that is needed to try it. */
export interface ServerContractSubject {
  /** Options as a user writes them; asked for at every start, so that no two servers have to share a port. */
  readonly options: () => unknown;
  /** Starts that have to fail, and what their messages have to say. */
  readonly failing?: readonly FailingStart[];
  /** Whether it starts what answers, and so has to stop it; `true` by default. */
  readonly owns?: boolean;
}

/**
 * What every server plugin has to do: answer when it has started, stay out of the way of another one, leave nothing
 * behind however it ends, and tell of its death. Processes are seen on Linux only; elsewhere ports tell.
 */
export function serverContract(server: Server, subject: ServerContractSubject): readonly ContractCase[] {
  const start = (signal?: AbortSignal): Promise<RunningServer> => startServer(server, subject.options(), signal);
  return [
    ...servingCases(start),
    ...(subject.owns === false ? [] : [...stoppingCases(start), ...deathCases(start)]),
    ...abortCases(start),
    ...(subject.failing ?? []).flatMap((failing) => failingStartCases(server, failing)),
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
          assert.deepEqual(
            pids.filter((pid) => !isRunning(pid)),
            [],
            "processes that are not running",
          );
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
        void running.died.then((how) => {
          death = how;
        });
        await running.stop();
        await new Promise(setImmediate);
        assert.equal(death, undefined, "died has to stay pending after stop()");
      },
    },
  ];
}

function stoppingCases(start: Start): readonly ContractCase[] {
  return [
    {
      name: "leaves neither a process nor a port when it was stopped",
      run: async () => {
        const descendants = await followDescendants();
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
  ];
}

function deathCases(start: Start): readonly ContractCase[] {
  return [
    {
      name: "tells when one of its processes has died, whichever it is, and can be stopped then",
      run: async () => {
        const probe = await start();
        const count = probe.processes.length;
        await probe.stop();
        for (let index = 0; index < count; index += 1) await expectDeathIsTold(start, index);
      },
    },
  ];
}

async function expectDeathIsTold(start: Start, index: number): Promise<void> {
  const descendants = await followDescendants();
  const running = await start();
  await descendants.look();
  try {
    const victim = running.processes[index];
    assert.ok(victim, "the number of processes differs from start to start");
    process.kill(victim.pid, "SIGKILL");
    const how = await running.died;
    assert.match(how, /\S/, `died has to say how "${victim.name}" ended`);
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
        const descendants = await followDescendants();
        await assert.rejects(start(AbortSignal.abort()));
        assert.deepEqual(runningOf(await descendants.look()), [], "processes that are left");
      },
    },
    {
      name: "leaves nothing when it is aborted while it starts",
      run: async () => {
        const most = await countProcesses(start);
        for (let count = 0; count <= most; count += 1) await expectAbortLeavesNothing(start, count);
      },
    },
  ];
}

/** How many processes a whole start makes. */
async function countProcesses(start: Start): Promise<number> {
  const descendants = await followDescendants();
  const running = await start();
  const { size } = await descendants.look();
  await running.stop();
  return size;
}

/** Aborts as soon as so many processes have been seen; a start that was quicker is stopped instead. */
async function expectAbortLeavesNothing(start: Start, count: number): Promise<void> {
  const descendants = await followDescendants();
  const controller = new AbortController();
  let settled = false;
  const starting = start(controller.signal).finally(() => {
    settled = true;
  });
  const outcome = starting.then(
    (running) => running,
    () => undefined,
  );
  while (!settled && descendants.seen().size < count) await descendants.look();
  controller.abort();
  const running = await outcome;
  await descendants.look();
  await running?.stop();
  if (running === undefined) assert.deepEqual(runningOf(descendants.seen()), [], "processes that are left");
  else await expectNothingLeft(running, descendants);
}

async function using(start: Start, check: (running: RunningServer) => Promise<void>): Promise<void> {
  const running = await start();
  try {
    await check(running);
  } finally {
    await running.stop();
  }
}
