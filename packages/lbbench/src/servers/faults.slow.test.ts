import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { needs } from "@lbbench/test-support/needs.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { FaultDeed, FaultKind, RunningServer } from "../plugin.js";
import { isListening } from "../system/listen.js";
import { processTree } from "../system/proc.js";
import { runningOf } from "../testing/contract.js";
import { requestOnce } from "../testing/request-once.js";
import { startAndWait } from "./test-support/start-and-wait.js";
import { startBuiltIn } from "./test-support/start-built-in.js";

function apply(running: RunningServer, name: string, kind: FaultKind, more: Omit<FaultDeed, "kind"> = {}) {
  const part = running.parts?.find((one) => one.name === name);
  if (part === undefined) throw new Error(`There is no part ${name}`);
  return part.apply({ kind, ...more });
}

/** Sends requests one after the other, each over a connection of its own; returns the statuses. */
async function statuses({ url }: RunningServer, count: number): Promise<readonly number[]> {
  const all: number[] = [];
  for (let sent = 0; sent < count; sent += 1) all.push((await requestOnce(url)).status);
  return all;
}

const SAMPLE = "kill start stop pause resume slow errors";
const WORKER = "kill start pause resume";
const BALANCER = "kill start stop pause resume";

it.each([
  ["single", {}, { "backend backend-1": SAMPLE }],
  ["pool", { pool: 1 }, { "backend pool": SAMPLE }],
  [
    "cluster",
    { workers: 2 },
    { "backend cluster": SAMPLE, "backend cluster worker-1": WORKER, "backend cluster worker-2": WORKER },
  ],
  ["grpc", {}, { "backend grpc": SAMPLE }],
  ["grpc-gateway", {}, { "balancer gateway": SAMPLE, "backend grpc": SAMPLE }],
  [
    "balanced",
    {
      backends: [
        { name: "inner", server: "balanced", options: { backends: 1 } },
        { server: "cluster", options: { workers: 1 } },
        "single",
      ],
    },
    {
      "balancer balancer": BALANCER,
      "balancer inner balancer": BALANCER,
      "backend inner backend-1": `${SAMPLE} drain restore`,
      "backend inner": "drain restore",
      "backend backend-1": `${SAMPLE} drain restore`,
      "backend backend-1 worker-1": WORKER,
      "backend backend-2": `${SAMPLE} drain restore`,
    },
  ],
])("the parts of %s with %o are called as its processes, and say what they can", async (server, options, expected) => {
  const { parts = [] } = await startBuiltIn(server, options);
  const told = parts.map(({ role, name, can }) => [`${role} ${name}`, can.join(" ")]);
  expect(Object.fromEntries(told)).toEqual(expected);
});

describe("a server that was ended by a fault", () => {
  it.each(["kill", "stop"] as const)("by %s is started as it was, and counts on", async (kind) => {
    const running = await startBuiltIn("single", {});
    await apply(running, "backend-1", "errors", { share: 1 });
    expect(await statuses(running, 2)).toEqual([503, 503]);
    expect(await running.requests?.()).toBe(2);
    await expect.poll(() => running.connections?.()).toEqual({ accepted: 2, open: 0, active: 0 });
    await apply(running, "backend-1", kind);
    await expect(requestOnce(running.url)).rejects.toThrow("ECONNREFUSED");
    expect(await running.requests?.()).toBe(2);
    expect(await running.connections?.()).toEqual({ accepted: 2, open: 0, active: 0 });
    await apply(running, "backend-1", "start");
    expect(await statuses(running, 1)).toEqual([200]);
    expect(await running.requests?.()).toBe(3);
    expect(await running.connections?.()).toMatchObject({ accepted: 3 });
  });

  // Requests under way are finished within 3.5 s, by a balancer within 2 s. They take half of that, so that there is time before and after.
  const [handler, behind] = ["sleep:1750ms", "sleep:1s"];
  it.each([
    // A balancer tells its clients that it ends, and begins nothing more.
    ["balanced", "balancer", { backends: [{ server: "single", options: { handler: behind } }] }, 1],
    ["single", "backend-1", { handler }, 2],
    ["cluster", "cluster", { workers: 2, handler }, 2],
    ["pool", "pool", { pool: 2, handler }, 2],
  ])("by stop is sent SIGTERM, %s, finishes what is under way, and counts what came until then", async (...given) => {
    const [name, part, options, begun] = given;
    const running = await startBuiltIn(name, options);
    const pid = running.processes[0]?.pid ?? -1;
    const count = async (): Promise<number> =>
      (await running.requests?.()) ?? Object.values((await running.backends?.()) ?? {})[0]?.requests ?? 0;
    const sent = vi.spyOn(process, "kill");
    onTestFinished(() => sent.mockRestore());
    const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
    const answers = text(socket);
    const ask = () => void socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    ask();
    await expectSoon(count).toBe(1);
    const stopping = apply(running, part, "stop");
    const isOpen = () => isListening(new URL(running.url), AbortSignal.timeout(1000));
    await expectSoon(isOpen).toBe(false);
    ask();
    await stopping;
    expect((await answers).match(/HTTP\/1.1 200/g)).toHaveLength(begun);
    expect(await count()).toBe(begun);
    expect(sent.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([[pid, "SIGTERM"]]);
  });

  it("tells of its death when it has been started anew and dies by itself", async () => {
    const before = new Set(processTree(process.pid));
    const running = await startBuiltIn("single", {});
    await apply(running, "backend-1", "kill");
    await apply(running, "backend-1", "start");
    for (const pid of processTree(process.pid)) if (!before.has(pid)) process.kill(pid, "SIGKILL");
    expect(await running.died).toContain("backend-1 ended with signal SIGKILL");
  });
});

it("a cluster does nothing while a worker of it is paused, and serves on with the workers that are left", async () => {
  const running = await startBuiltIn("cluster", { workers: 3 });
  await apply(running, "cluster worker-2", "kill");
  await apply(running, "cluster worker-1", "pause");
  await expect(apply(running, "cluster", "slow", { byMs: 5 })).rejects.toThrow("a process of cluster is paused");
  expect(await running.requests?.()).toBe(0);
  await apply(running, "cluster worker-1", "resume");
  expect(await statuses(running, 4)).toEqual([200, 200, 200, 200]);
  expect(await running.requests?.()).toBe(4);
});

it("a cluster is stopped also where a worker is halted, which is killed then, and nothing watches over it any more", async () => {
  const before = processTree(process.pid);
  const running = await startBuiltIn("cluster", { workers: 2 });
  await apply(running, "cluster worker-1", "pause");
  await apply(running, "cluster", "stop");
  expect(processTree(process.pid)).toEqual(before);
  await apply(running, "cluster", "start");
  expect(await statuses(running, 2)).toEqual([200, 200]);
});

it("a worker that was killed is started in its place, is watched by its name, and can be killed again", async () => {
  const running = await startBuiltIn("cluster", { workers: 2 });
  const watched = () => Object.fromEntries((running.processesNow?.() ?? []).map(({ name, pid }) => [name, pid]));
  const first = watched();
  await statuses(running, 2);
  await expect(apply(running, "cluster worker-1", "start")).rejects.toThrow("cluster worker-1 is running");
  await running.requests?.();
  for (let times = 0; times < 2; times += 1) {
    await apply(running, "cluster worker-1", "kill");
    await apply(running, "cluster worker-1", "start");
  }
  const now = watched();
  expect(now).toEqual({ ...first, "cluster worker-1": expect.any(Number) });
  expect(now["cluster worker-1"]).not.toBe(first["cluster worker-1"]);
  expect(await statuses(running, 4)).toEqual([200, 200, 200, 200]);
  expect(await running.requests?.()).toBe(6);
  process.kill(now["cluster worker-1"] ?? -1, "SIGKILL");
  expect(await running.died).toContain(`worker ${now["cluster worker-1"]} ended with signal SIGKILL`);
});

it("a worker that was killed is sent no signal again, as its pid may be that of another process by then", async () => {
  const running = await startBuiltIn("cluster", { workers: 2 });
  const sent = vi.spyOn(process, "kill");
  onTestFinished(() => sent.mockRestore());
  const [, first, second] = running.processes.map(({ pid }) => pid);
  const signalsTo = (asked = -1) => sent.mock.calls.filter(([pid, signal]) => pid === asked && signal !== 0);
  await apply(running, "cluster worker-1", "kill");
  for (const kind of ["pause", "resume", "kill"] as const) await apply(running, "cluster", kind);
  await running.stop();
  expect(signalsTo(first)).toEqual([[first, "SIGKILL"]]);
  expect(signalsTo(second).map(([, signal]) => signal)).toEqual(
    expect.arrayContaining(["SIGSTOP", "SIGCONT", "SIGKILL"]),
  );
});

it.each(["http", "tcp"])(
  "a balancer in mode %s gives nothing to a drained backend, and counts on over its own restart",
  async (mode) => {
    const running = await startBuiltIn("balanced", { backends: 2, mode });
    const shares = async () => Object.values((await running.backends?.()) ?? {}).map(({ requests }) => requests);
    await apply(running, "backend-1", "drain");
    expect(await statuses(running, 4)).toEqual([200, 200, 200, 200]);
    expect(await shares()).toEqual([0, 4]);
    await apply(running, "backend-1", "restore");
    await statuses(running, 4);
    expect(await shares()).toEqual([2, 6]);
    expect(await running.turns?.()).toMatchObject({ picked: 8 });
    await apply(running, "balancer", "kill");
    expect(await shares()).toEqual([2, 6]);
    // What it has picked since it was last asked is lost with it.
    expect(await running.turns?.()).toBeUndefined();
    await expect(apply(running, "backend-1", "drain")).rejects.toThrow("balancer is not running");
    await apply(running, "balancer", "start");
    await statuses(running, 2);
    expect(await shares()).toEqual([3, 7]);
    expect(await running.turns?.()).toBeUndefined();
    await statuses(running, 2);
    expect(await running.turns?.()).toMatchObject({ picked: 2 });
  },
);

it.runIf(needs("haproxy"))("HAProxy counts on over a restart, a reload, and another restart", async () => {
  const running = await startBuiltIn("haproxy", { backends: 1 });
  const requests = async () => (await running.backends?.())?.["backend-1"]?.requests;
  const told: unknown[] = [];
  for (const kind of ["kill", "reload", "kill"] as const) {
    await statuses(running, 3);
    told.push(await requests());
    await apply(running, "balancer", kind);
    if (kind === "kill") await apply(running, "balancer", "start");
    // Until the worker before has ended, it may get requests that are counted no more.
    const { pid = -1 } = running.processesNow?.()[0] ?? {};
    await expectSoon(() => processTree(pid).length).toBe(2);
    await statuses(running, 1);
    told.push(await requests());
  }
  expect(told).toEqual([3, 4, 7, 8, 11, 12]);
});

it("rolls: drained, stopped, started and restored one after the other, backends lose no request", async () => {
  const running = await startBuiltIn("balanced", { backends: 3 });
  let isOver = false;
  const seen = new Set<number>();
  const asking = (async () => {
    for (let sent = 0; !isOver; sent += 1) seen.add((await requestOnce(running.url)).status);
  })();
  for (const name of ["backend-1", "backend-2", "backend-3"]) {
    for (const kind of ["drain", "stop", "start", "restore"] as const) await apply(running, name, kind);
  }
  isOver = true;
  await asking;
  expect([...seen]).toEqual([200]);
});

it.each([
  ["single", "backend-1"],
  ["cluster", "cluster worker-1"],
  ["balanced", "backend-1"],
  ["balanced", "balancer"],
])("leaves nothing of %s when the program is killed that has halted its part %s", async (name, halt) => {
  const options = name === "cluster" ? { workers: 1 } : name === "balanced" ? { backends: 1 } : {};
  const program = startAndWait({ name, halt, options });
  const { pids } = await program.started();
  const tree = processTree(program.pid);
  await program.kill();
  await expectSoon(() => runningOf([...tree, ...pids])).toEqual([]);
});
