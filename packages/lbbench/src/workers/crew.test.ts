import { hostname } from "node:os";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { clearMemoryOften } from "@lbbench/test-support/clear-memory.js";
import { driveGenerators, GENERATOR_ENTRY } from "../engines/generators.js";
import { Recorder } from "../engines/recorder.js";
import { splitLevel } from "../engines/shares.js";
import { TOKEN_VARIABLE } from "../config/defaults.js";
import type { Workers } from "../model/scenario.js";
import { TOOL } from "../own-package.js";
import { decodeHistogram } from "../stats/histogram.js";
import { aCrew } from "../test-support/fixtures.js";
import { aLoad } from "../test-support/load.js";
import { gatherCrew, type CrewListeners } from "./crew.js";
import type { Master, MasterEvent } from "./master.js";
import { deferred } from "../system/settle.js";
import { openCalls, WorkerError, type CrewCalls, type WorkerCalls } from "./calls.js";

beforeEach(() => {
  vi.stubEnv(TOKEN_VARIABLE, TOKEN);
  return () => vi.unstubAllEnvs();
});

const TOKEN = "a secret";
const { signal } = new AbortController();
const CHOICE = aCrew({ waitMs: 50 });

/** A master in this process, and workers that come to it; each sends for every one of its users the latencies that it is given. */
function aNetwork({
  locustSees = (sent: number) => sent,
  isLost = (_text: string): boolean => false,
  prepare = async (): Promise<void> => {},
} = {}) {
  const inboxes = new Map<string, (text: string) => void>();
  const dismissed: string[] = [];
  const cut: string[] = [];
  const misread: string[] = [];
  const asked: string[] = [];
  const spawned = deferred<void>();
  let sent = 0;
  let tell: (event: MasterEvent) => void = () => {};
  let die: (how: string) => void = () => {};
  const master: Master = {
    host: "127.0.0.1",
    port: 1,
    send: (worker, text) => inboxes.get(worker)?.(text),
    startUsers: () => spawned.resolve(),
    stopUsers: async () => ({ requests: locustSees(sent), failures: 0 }),
    died: new Promise((resolve) => (die = resolve)),
    close: async () => {},
  };
  const start = async (_host: string, _port: number, onEvent: typeof tell): Promise<Master> => {
    tell = onEvent;
    return master;
  };
  const come = (id: string, latenciesUs: readonly number[] = [], hello = {}, token = TOKEN): void => {
    const stopped = deferred<never>();
    const { calls, receive } = openCalls<CrewCalls, WorkerCalls>(
      {
        prepare,
        fill: async ({ users }) => {
          await spawned.promise;
          asked.push(`${id} fills ${users}`);
          return { tookMs: 10, users, answered: users, pace: 1000 };
        },
        settle: async () => ({ tookMs: 10, users: 1, answered: 1, pace: 0.1 }),
        run: async ({ users = "no", durationMs }) => {
          asked.push(`${id} runs ${users} more for ${durationMs} ms`);
          await Promise.race([spawned.promise, stopped.promise]);
          void calls.started.asEvent();
          const recorder = new Recorder({ mergeable: true });
          for (const us of latenciesUs) {
            recorder.sent(0);
            recorder.ok(0, us, 200);
          }
          if (latenciesUs.length === 0) await stopped.promise.catch(() => {});
          sent += latenciesUs.length;
          const usage = { cpu: 0.5, rssBytes: 1000, eventLoopUtilization: 0.4 };
          return { record: recorder.finish(0, null), usage, gone: false, machineCpu: 0.2 };
        },
        progress: async () => ({ sent: 0, done: 0, failed: 0, second: undefined }),
        cut: () => {
          cut.push(id);
          stopped.reject(new Error("cut"));
        },
        dismiss: (reason) => void dismissed.push(`${id}: ${reason}`),
      },
      { token, end: "worker", worker: id },
      (data) => isLost(data) || tell({ event: "message", worker: id, data }),
    );
    inboxes.set(id, (text) => void (receive(text) === "read" || misread.push(id)));
    tell({ event: "ready", worker: id });
    void calls.hello.asEvent({ version: TOOL.version, host: hostname(), cores: 2, ...hello });
  };
  return {
    begun: spawned.promise,
    start,
    come,
    dismissed,
    misread,
    cut,
    asked,
    tell: (event: MasterEvent) => tell(event),
    die: (how: string) => die(how),
  };
}

const COUNTED = aLoad({ connections: 4, requests: 3000 }, { generators: 3 });

/** Lets a master wait for workers, as {@link gatherCrew} does; resolves when they may come. */
async function wait(
  network: ReturnType<typeof aNetwork>,
  choice: Partial<Workers> = {},
  listeners: CrewListeners = {},
) {
  const gathered = gatherCrew({ ...CHOICE, ...choice }, listeners, signal, network);
  gathered.catch(() => {});
  await Promise.resolve();
  return { gathered };
}

/** Gathers workers, each with its latencies, and lets them send a load; resolves when they have begun. */
async function load(latencies: readonly (readonly number[])[], network = aNetwork(), asking = COUNTED) {
  const { gathered } = await wait(network);
  for (const [index, us] of latencies.entries()) network.come(`host_${index}`, us);
  const crew = await gathered;
  const shares = splitLevel(asking.level, asking.generators).map((level) => ({ ...asking, level }));
  const context = { children: crew, folder: "/", signal };
  const run = driveGenerators({ engine: "autocannon", shares, asked: asking.level }, context);
  run.catch(() => {});
  await network.begun;
  return { crew, run, network };
}

describe("workers as generators", () => {
  it("make one measurement, and tell what each of them has done", async () => {
    const parts = [1000, 2000, 3000].map((us) => Array.from({ length: 1000 }, () => us));
    const { run } = await load(parts);
    const { measurement, generators, workers } = await run;
    expect(measurement.requests).toMatchObject({ sent: 3000, ok: 3000, inFlight: 0 });
    expect(measurement.latency).toMatchObject({ min: 1, mean: 2, max: 3 });
    expect(decodeHistogram(measurement.histogram).totalCount).toBe(3000);
    expect(generators).toEqual([]);
    const each = { sent: 1000, cores: 2, cpu: 0.5, machineCpu: 0.2 };
    expect(workers).toMatchObject([
      { name: hostname(), share: 2, ...each },
      { name: `${hostname()}-2`, share: 1, ...each },
      { name: `${hostname()}-3`, share: 1, ...each },
    ]);
    expect(workers?.map(({ startSkewMs }) => startSkewMs >= 0)).toEqual([true, true, true]);
  });

  it.each(["gone", "missing", "returned"] as const)(
    "end the load when one is %s, and are too few until another comes",
    async (event) => {
      const { run, network, crew } = await load([[], [], []]);
      network.tell({ event, worker: "host_1" });
      await expect(run).rejects.toMatchObject({
        code: "WORKER_LOST",
        message: expect.stringContaining(`${hostname()}-2`),
      });
      expect(network.cut).toEqual(expect.arrayContaining(["host_0", "host_2"]));
      expect(network.dismissed).toMatchObject([expect.stringContaining("host_1: ")]);
      expect(() => crew.acquire(GENERATOR_ENTRY, 3)).toThrow(expect.objectContaining({ code: "WORKER_LOST" }));
      const complete = crew.complete(signal);
      network.come("host_3");
      await complete;
      expect(crew.acquire(GENERATOR_ENTRY, 3)).toHaveLength(3);
    },
  );

  it("begin when Locust starts their users, and measure as long as all need for their answers when each has had one", async () => {
    const timed = aLoad({ connections: 4, durationMs: 100 }, { generators: 3, atStart: "fill" });
    const { run, network } = await load([[10], [10], [10]], aNetwork(), timed);
    const { measurement, workers } = await run;
    expect(network.asked.toSorted()).toEqual(
      [2, 1, 1].flatMap((users, index) => [`host_${index} fills ${users}`, `host_${index} runs no more for 15000 ms`]),
    );
    expect(measurement.requests.ok).toBe(3);
    expect(workers).toHaveLength(3);
  });

  it("are lost where a message of theirs is, as soon as another one comes", async () => {
    const { run, network } = await load([[1], [1], [1]], aNetwork({ isLost: (text) => text.includes('"started"') }));
    await expect(run).rejects.toMatchObject({
      code: "WORKER_LOST",
      message: expect.stringContaining("was lost on the"),
    });
    expect(network.dismissed).toHaveLength(3);
  });

  it("are lost when they do not answer for longer than a load can take", async () => {
    const timed = aLoad({ connections: 4, durationMs: 100 }, { generators: 3 });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const network = aNetwork({ isLost: (text) => text.includes('"record"') });
    const { run } = await load([[1], [1], [1]], network, timed);
    const outcome = expect(run).rejects.toMatchObject({
      code: "WORKER_LOST",
      message: expect.stringContaining("did not answer for longer than a load can take"),
    });
    await vi.advanceTimersByTimeAsync(3_600_000);
    await outcome;
    expect(network.dismissed).toHaveLength(3);
  });

  it("are lost with their master", async () => {
    const { run, network } = await load([[], [], []]);
    network.die("Locust's master ended with signal SIGKILL");
    await expect(run).rejects.toMatchObject({ code: "WORKER_LOST", message: expect.stringContaining("SIGKILL") });
  });

  it("are not believed where Locust has counted otherwise", async () => {
    const { run } = await load([[1], [1], [1]], aNetwork({ locustSees: (sent) => sent + 1 }));
    await expect(run).rejects.toMatchObject({
      code: "WORKERS_DIFFER",
      message: "The workers sent 3 requests, Locust counted 4.",
    });
  });

  it.each([
    [new WorkerError("WORKER_LOST", "its generator died: signal SIGKILL"), "WORKER_LOST"],
    [Object.assign(new Error("its generator died: signal SIGKILL."), { code: "ENOENT" }), undefined],
  ])("fail with what one says, and with the code of %j", async (error, code) => {
    const network = aNetwork({ prepare: () => Promise.reject(error) });
    const { gathered } = await wait(network, { count: 1 });
    network.come("host_1");
    const [child] = (await gathered).acquire<{ prepare: (load: object) => void }>(GENERATOR_ENTRY, 1);
    const failed = await child?.call.prepare({ ...COUNTED, place: { index: 0, of: 1 } }).catch((told: unknown) => told);
    expect(failed).toBeInstanceOf(code === undefined ? Error : WorkerError);
    const message = `The worker ${hostname()} failed: its generator died: signal SIGKILL.`;
    expect({ code: undefined, ...(failed as object), message: (failed as Error).message }).toMatchObject({
      code,
      message,
    });
  });

  it("are refused with fewer connections than workers, and with an address that is each worker's own", async () => {
    const { crew } = await load([[], [], []]);
    expect(() => crew.acquire(GENERATOR_ENTRY, 2)).toThrow("got 2 connections for 3 workers");
    const network = aNetwork();
    const { gathered } = await wait(network, { count: 1 });
    network.come("far_1", [], { host: "far" });
    const [child] = (await gathered).acquire<{ prepare: (load: object) => void }>(GENERATOR_ENTRY, 1);
    await expect(child?.call.prepare({ ...COUNTED, place: { index: 0, of: 1 } })).rejects.toThrow(
      "names the machine of each worker",
    );
  });
});

describe("gathering workers", () => {
  const [FEW, OLD] = [{ code: "START_FAILED" }, { code: "WORKERS_DIFFER" }];
  const BY_SSH = { from: "ssh", hosts: [] } as const;

  it.each([
    ["too few", {}, {}, FEW, /^Expected 3 .* within 0\.05 s, got 2 .*lbbench worker --master 127\.0\.0\.1:1$/],
    ["too few by ssh", BY_SSH, {}, FEW, /^Expected 3 .*lbbench doctor --workers ssh:/],
    ["of another version", {}, { version: "0.0.1" }, OLD, /has lbbench 0\.0\.1, this is .*Install the same version/],
  ])("rejects when they are %s", async (_, choice, hello, code, message) => {
    const network = aNetwork();
    const { gathered } = await wait(network, choice);
    network.come("host_1");
    network.come("host_2", [], hello);
    await expect(gathered).rejects.toMatchObject({ ...code, message: expect.stringMatching(message) });
  });

  it("ends when its time is over, also when memory is cleared meanwhile", async () => {
    clearMemoryOften();
    const { gathered } = await wait(aNetwork(), { waitMs: 300 });
    await expect(gathered).rejects.toThrow(/within 0\.3 s, got 0/);
  });

  it("refuses others who reach the port, once, and goes on", async () => {
    const network = aNetwork();
    const refused: string[] = [];
    const { gathered } = await wait(network, { count: 1 }, { onRefused: (id) => refused.push(id) });
    const hello = JSON.stringify({ t: "q", m: "hello", a: [{ version: "0.0.1", host: "odd", cores: 1 }] });
    for (const data of ["", "%%%", hello, `1 unsigned ${hello}`]) {
      network.tell({ event: "message", worker: "odd_1", data });
    }
    network.come("stranger_1", [], { version: "0.0.1" }, "another secret");
    await expect.poll(() => refused).toEqual(["odd_1", "stranger_1"]);
    // What the master answers says nothing to them.
    expect(network.misread).toEqual(["stranger_1"]);
    expect(network.dismissed).toEqual([]);
    network.come("host_1");
    expect((await gathered).acquire(GENERATOR_ENTRY, 1)).toHaveLength(1);
  });

  it("hears what a worker says once, and as that worker alone", async () => {
    const heard: string[] = [];
    const inbox = (worker: string) =>
      openCalls<object, { say: (word: string) => void }>(
        { say: (word) => void heard.push(word) },
        { token: TOKEN, end: "master", worker },
        () => {},
      ).receive;
    const sent: string[] = [];
    const line = { token: TOKEN, end: "worker", worker: "host_1" } as const;
    const { calls } = openCalls<{ say: (word: string) => void }, object>({}, line, (text) => sent.push(text));
    for (const word of ["one", "two", "three", "four"]) void calls.say.asEvent(word);
    await expect.poll(() => sent).toHaveLength(4);
    const [one = "", two = "", , four = ""] = sent;
    const ofHost = inbox("host_1");
    // As many characters as a signature has, and more bytes.
    expect(ofHost(`1 ${"é".repeat(43)} x`)).toBe("stranger");
    expect([two, two, one].map(ofHost)).toEqual(["read", "stranger", "stranger"]);
    expect([one, one.replace("one", "six")].map(inbox("host_2"))).toEqual(["stranger", "stranger"]);
    expect([one, two, four].map(inbox("host_1"))).toEqual(["read", "read", "gap"]);
    await expect.poll(() => heard).toEqual(["two", "one", "two"]);
  });

  it("makes a secret of its own where none is given, and tells that", async () => {
    vi.stubEnv(TOKEN_VARIABLE, undefined);
    const network = aNetwork();
    const onListening = vi.fn<NonNullable<CrewListeners["onListening"]>>();
    const { gathered } = await wait(network, { count: 1 }, { onListening });
    expect(onListening).toHaveBeenCalledOnce();
    const [, token = ""] = onListening.mock.calls[0] ?? [];
    expect(token).toMatch(/^[\w-]{24}$/);
    network.come("host_1", [], {}, token);
    expect((await gathered).acquire(GENERATOR_ENTRY, 1)).toHaveLength(1);
  });

  it("starts the ssh of a worker again whenever it ends while workers are missing, but once only", async () => {
    const network = aNetwork();
    const started: string[] = [];
    const end = new Map<string, () => void>();
    const runBySsh = (host: string): Promise<never> => {
      started.push(host);
      return new Promise((_, reject) => end.set(host, () => reject(new Error("ssh has ended"))));
    };
    const choice = { ...CHOICE, from: "ssh", hosts: ["a", "b"], count: 2, waitMs: 600_000 } as const;
    const gathered = gatherCrew(choice, {}, signal, { ...network, runBySsh });
    await setImmediate();
    for (const id of ["a_1", "b_1"]) network.come(id);
    const crew = await gathered;
    network.tell({ event: "missing", worker: "b_1" });
    const complete = crew.complete(signal);
    for (const _ of [1, 2]) {
      end.get("b")?.();
      await setImmediate();
      expect(started).toEqual(["a", "b", "b"]);
    }
    network.come("b_2");
    await complete;
    for (const tell of end.values()) tell();
    await crew.close();
  });

  it("sends away more than were asked for", async () => {
    const { network } = await load([[], [], []]);
    network.come("host_9");
    await expect.poll(() => network.dismissed).toEqual(["host_9: The master has all 3 workers that it waits for."]);
  });
});
