import { describe, expect, it } from "vitest";
import { search, sweep, type SweepOutcome } from "../api/sweep.js";
import type { SweepInput } from "../config/sweep-input.js";
import { createFakeEngine, type FakeRun } from "../testing/fake-engine.js";
import { createFakeServer, type FakeServer } from "../testing/fake-server.js";
import type { Load, Server } from "../plugin.js";
import type { SweepEvent } from "./sweep-event.js";

const STOP_FAILED = "it could not be stopped: process 7 will not end";

interface Behaviour {
  /** Called with each start, counted from 1 by target: throw to make it fail. */
  readonly onStart?: (name: string, start: number, living: ReadonlySet<string>) => void;
  readonly onStop?: (name: string, stop: number) => void;
  readonly see?: (load: Load, target: string) => FakeRun;
  readonly onEvent?: (event: SweepEvent, servers: ReadonlyMap<string, FakeServer>, controller: AbortController) => void;
}

interface Lived extends SweepOutcome {
  /** Starts (`+a`), stops (`-a`) and steps (`a1.2`: connections and trial), in the order in which they happened. */
  readonly story: string;
}

/** Runs a sweep, or a search, of the targets `a` and `b`, and tells what became of them. */
async function live(input: Partial<SweepInput>, { onStart, onStop, see, onEvent }: Behaviour = {}): Promise<Lived> {
  const story: string[] = [];
  const living = new Set<string>();
  const controller = new AbortController();
  const count = new Map<string, number>();
  const next = (what: string): number => {
    count.set(what, (count.get(what) ?? 0) + 1);
    return count.get(what) ?? 0;
  };
  const fake = (name: string): FakeServer =>
    createFakeServer({
      name,
      url: `http://${name}.test`,
      onStart: () => {
        onStart?.(name, next(`+${name}`), living);
        living.add(name);
        story.push(`+${name}`);
      },
      onStop: () => {
        living.delete(name);
        story.push(`-${name}`);
        onStop?.(name, next(`-${name}`));
      },
    });
  const servers = new Map(["a", "b"].map((name) => [name, fake(name)]));
  const engine = createFakeEngine(
    see === undefined ? {} : { see: (load) => see(load, new URL(load.url).hostname[0] ?? "") },
  );
  const measured: SweepInput = {
    targets: ["a", "b"],
    engine: "fake",
    duration: "3s",
    warmup: "0",
    ...(input.search === undefined && { trials: 1 }),
    ...input,
  };
  const outcome = await (input.search === undefined ? sweep : search)(measured, {
    plugins: { servers: [...servers.values()], engines: [engine] },
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === "step") story.push(`${event.step.target}${event.step.level.connections}.${event.step.trial}`);
      onEvent?.(event, servers, controller);
    },
  });
  expect(living).toEqual(new Set());
  return { ...outcome, story: story.join(" ") };
}

const codesOf = ({ result }: SweepOutcome): readonly string[] =>
  result.steps.flatMap(({ findings }) => findings.map(({ code }) => code));

it("targets are told the version of HTTP that clients speak, and what stands behind them is told 1.1", async () => {
  const told: Record<string, string> = {};
  const servers = ["front", "backend"].map((name): Server => ({
    ...createFakeServer({ name, url: `http://${name}.test` }),
    start: async (options, context) => {
      told[name] = context.httpVersion;
      if (name === "front") await context.startServer({ server: "backend", options: {} }, "backend-1");
      return createFakeServer({ name }).start(options, context);
    },
  }));
  const input: SweepInput = { targets: ["front"], engine: "fake", requests: 1, connections: 1, httpVersion: "2" };
  const { result } = await sweep(input, { plugins: { servers, engines: [createFakeEngine()] } });
  expect(result.steps).toMatchObject([{ state: "completed" }]);
  expect(told).toEqual({ front: "2", backend: "1.1" });
});

describe("targets", () => {
  it.each<[string, Partial<SweepInput>, string]>([
    [
      "for a trial, beside one another, the first one from the check on",
      { trials: 2 },
      "+a +b a1.1 b1.1 b5.1 a5.1 b1.2 -b +b a1.2 -a +a a5.2 b5.2 -b -a",
    ],
    ["for a step where they are to", { restart: "step" }, "+a -a +b -b a1.1 +a -a b1.1 +b -b b5.1 +b -b a5.1 +a -a"],
  ])("live %s", async (_, input, story) => {
    const lived = await live({ connections: [1, 5], ...input });
    expect(lived.story).toBe(story);
    expect(lived.result).toMatchObject({ complete: true, scenario: { restart: input.restart ?? "trial" } });
  });

  it("live in a search until they do not hold a level", async () => {
    const limit = 2;
    const see = ({ level: { connections = 0 } }: Load): FakeRun =>
      connections > limit ? { requests: { non2xx: 1 } } : {};
    const { story, result } = await live({ targets: ["a"], search: { resolution: 0.5 } }, { see });
    expect(story).toBe("+a a1.1 a1.2 a2.1 a2.2 a4.1 a4.2 -a +a a3.1 -a +a a3.2 -a +a -a");
    expect(result.search).toMatchObject([{ held: 2, broken: 3 }]);
  });
});

describe("a target is started anew", () => {
  const onEvent: Behaviour["onEvent"] = (event, servers) =>
    event.type === "progress" &&
    event.step.level.connections === 1 &&
    servers.get(event.step.target === "a" ? "a" : "")?.die("gone");
  const between: Behaviour["onEvent"] = (event, servers) =>
    event.type === "step-done" && event.index === 0 && servers.get("a")?.die("gone");
  const see: Behaviour["see"] = ({ level }, target) => {
    if (level.connections === 1 && target === "a") throw new Error("no memory");
    return {};
  };

  it.each<[string, Behaviour, string, string]>([
    ["after it died under load", { onEvent }, "+a +b a1.1 -a b1.1 b5.1 a5.1 +a -b -a", "TARGET_DIED"],
    ["after it died between steps", { onEvent: between }, "+a +b a1.1 b1.1 b5.1 a5.1 -a +a -b -a", "START_REPEATED"],
    ["after a step that the engine failed", { see }, "+a +b a1.1 -a b1.1 b5.1 a5.1 +a -b -a", "STEP_FAILED"],
  ])("%s", async (_, behaviour, story, code) => {
    const lived = await live({ connections: [1, 5] }, behaviour);
    expect(lived.story).toBe(story);
    expect(codesOf(lived)).toContain(code);
    expect(lived.result.steps.slice(1).map(({ state }) => state)).toEqual(["completed", "completed", "completed"]);
  });
});

describe("targets that want the same port", () => {
  it("run one at a time, which is told with the step that found it", async () => {
    const onStart: Behaviour["onStart"] = (name, _, living) => {
      if (living.size > 0) throw new Error("listen EADDRINUSE: address already in use");
    };
    const lived = await live({ connections: [1, 5] }, { onStart });
    expect(lived.story).toBe("+a -a +b a1.1 -b +a b1.1 -a +b b5.1 a5.1 -b +a -a");
    expect(lived.result.steps.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => "completed"));
    expect(codesOf(lived).filter((code) => code === "START_REPEATED" || code === "STEP_FAILED")).toEqual([
      "START_REPEATED",
    ]);
  });

  it("are an error before any load when it is somebody else who has it", async () => {
    const onStart: Behaviour["onStart"] = (name) => {
      if (name === "b") throw new Error("the port is in use");
    };
    await expect(live({ connections: [1] }, { onStart })).rejects.toThrow('The target "b" could not be started');
  });
});

describe("a target that cannot be stopped", () => {
  const fail = (when: number): Behaviour => ({
    onStop: (name, stop) => {
      if (name === "a" && stop === when) throw new Error("process 7 will not end");
    },
  });

  it("fails the step before which it should be, and is started anew for the next", async () => {
    const { story, result } = await live({ targets: ["a"], connections: [1, 5], trials: 2 }, fail(1));
    expect(story).toBe("+a a1.1 a5.1 a1.2 -a a5.2 +a -a");
    expect(result.steps.map(({ error }) => error?.code)).toEqual([undefined, undefined, "STOP_FAILED", undefined]);
  });

  it("fails its last step at the end, which keeps what was measured", async () => {
    const { result } = await live({ connections: [1] }, fail(1));
    expect(result.steps[0]).toMatchObject({
      state: "failed",
      error: { code: "STOP_FAILED", message: STOP_FAILED },
      measurement: { requests: { ok: expect.any(Number) } },
    });
    expect(result.steps[1]).toMatchObject({ target: "b", state: "completed" });
    expect(result.verdict.status).toBe("inconclusive");
  });

  it("is named where no step was made, and hides no error that came before", async () => {
    await expect(live({ targets: ["a"], restart: "step" }, fail(1))).rejects.toThrow(`The target "a": ${STOP_FAILED}`);
    const onStart: Behaviour["onStart"] = (name) => {
      if (name === "b") throw new Error("no luck");
    };
    await expect(live({}, { ...fail(1), onStart })).rejects.toThrow('The target "b" could not be started: no luck');
  });
});

it.each<[string, SweepInput["warmup"], number]>([
  ["is warmed up", "auto", 1],
  ["is checked", "0", 0],
])("nothing is left when a run is interrupted while a target %s", async (_, warmup, steps) => {
  const onEvent: Behaviour["onEvent"] = (event, _servers, controller) => {
    const isNow = warmup === "auto" ? event.type === "phase" && event.phase === "warming up" : event.type === "check";
    if (isNow) controller.abort();
  };
  const { result, story } = await live({ connections: [1, 5], ...(warmup && { warmup }) }, { onEvent });
  expect(result.steps.map(({ state, measurement }) => [state, measurement])).toEqual(
    Array.from({ length: steps }, () => ["aborted", undefined]),
  );
  expect(story).toBe(steps === 0 ? "" : "+a +b a1.1 -a -b");
});
