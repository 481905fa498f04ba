import { describe, expect, it } from "vitest";
import { knownPlugins } from "../api/load-plugins.js";
import { parseSweepInput } from "../api/sweep.js";
import type { Fault } from "../model/fault.js";
import { scenarioSchema } from "../model/result-schema.js";
import { formatFault } from "../stats/faults.js";
import { DEFAULTS } from "./defaults.js";
import { parseFault } from "./faults.js";
import { resolveScenario } from "./resolve.js";
import { nameFlag } from "./settings.js";
import type { SweepInput } from "./sweep-input.js";

type Given = NonNullable<SweepInput["faults"]>[number];
type Kind = Parameters<typeof resolveScenario>[0];

const PLUGINS = knownPlugins();

const faultsOf = (given: unknown) => parseSweepInput({ faults: [given] }, "test").faults?.[0];

async function resolve(input: SweepInput, kind: Kind = "sweep") {
  const whole = { targets: ["balanced"], ...input };
  return resolveScenario(kind, parseSweepInput(whole, "test"), PLUGINS);
}

const KILL = "kill backend-2 at 3s";

const REST = { atMs: 3000, part: "backend-2" };

describe("a fault", () => {
  it.each<[string, Given, Fault]>([
    ...(["kill", "start", "stop", "pause", "resume", "drain", "restore", "reload"] as const).map(
      (kind): [string, Given, Fault] => [
        `${kind} backend-2 at 3s`,
        { at: "3000ms", [kind]: "backend-2" },
        { ...REST, kind },
      ],
    ),
    [
      "slow backend-2 by 200ms at 3s",
      { at: "3s", slow: "backend-2", by: "0.2s" },
      { ...REST, kind: "slow", byMs: 200 },
    ],
    ["slow backend-2 by 0 at 3s", { at: "3s", slow: "backend-2", by: "0" }, { ...REST, kind: "slow", byMs: 0 }],
    [
      "errors backend-2 7% at 3s",
      { at: "3s", errors: "backend-2", share: "7%" },
      { ...REST, kind: "errors", share: 0.07 },
    ],
    ["errors backend-2 0% at 3s", { at: "3s", errors: "backend-2", share: 0 }, { ...REST, kind: "errors", share: 0 }],
    ["stop balancer at 1.001s", { at: "1.001s", stop: "balancer" }, { atMs: 1001, kind: "stop", part: "balancer" }],
    ["roll backends at 120s", { at: "2m", roll: "backends" }, { atMs: 120_000, kind: "roll", part: "backends" }],
    ["kill backend-1 at 0", { at: "0", kill: "backend-1" }, { atMs: 0, kind: "kill", part: "backend-1" }],
    [
      "kill backend-1 worker-2 at 500ms",
      { at: "500ms", kill: "backend-1 worker-2" },
      { atMs: 500, kind: "kill", part: "backend-1 worker-2" },
    ],
    [
      "slow by the sea at 9 by 1s at 3s",
      { at: "3s", slow: "by the sea at 9", by: "1s" },
      { ...REST, kind: "slow", part: "by the sea at 9", byMs: 1000 },
    ],
  ])("is written and read alike, as a text and in a config: %s", (text, inConfig, fault) => {
    expect(faultsOf(text)).toEqual(fault);
    expect(faultsOf(inConfig)).toEqual(fault);
    expect(formatFault(fault)).toBe(text);
  });

  it.each([
    ["roll at 2m", "roll backends at 120s"],
    [" slow  backend-2  by  1500ms  at  3000ms ", "slow backend-2 by 1.5s at 3s"],
    ["errors backend-2 33.3% at 3s", "errors backend-2 33.3% at 3s"],
  ])("may be written in short, or wide: %j", (text, whole) => {
    expect(formatFault(parseFault(text))).toBe(whole);
  });

  it.each<[unknown, string]>([
    ["", 'expected a fault such as "kill backend-2 at 3s", got ""'],
    [7, 'expected a fault such as "kill backend-2 at 3s", or an object such as { at: "3s", kill: "backend-2" }, got 7'],
    ["kil backend-2 at 3s", 'at the start of "kil backend-2 at 3s", got "kil". Did you mean "kill"?'],
    [
      "constructor a at 3s",
      "expected kill, start, stop, pause, resume, slow, errors, drain, restore, reload or roll at",
    ],
    ["kill backend-2", '"at" and a time at the end, as in "kill backend-2 at 3s", got "kill backend-2"'],
    ["kill backend-2 at 3", '"kill backend-2 at 3": expected a time such as 500ms, 5s or 2m, got "3"; a number needs'],
    ["kill at 3s", 'the name of a part, as in "kill backend-2 at 3s", got "kill at 3s"'],
    ["slow backend-2 at 3s", '"by" and a time, as in "slow backend-2 by 200ms at 3s", got "slow backend-2 at 3s"'],
    ["slow backend-2 by x at 3s", '"slow backend-2 by x at 3s": expected a time such as'],
    ["errors backend-2 at 3s", 'a share, as in "errors backend-2 50% at 3s", got "errors backend-2 at 3s"'],
    ["errors backend-2 101% at 3s", 'expected a share from 0% to 100%, such as "50%", got "101%"'],
    [
      "kill backend-2 by 2s at 3s",
      '"by" and a time with slow alone, as in "kill backend-2 at 3s", got "kill backend-2',
    ],
    ["kill backend-2 50% at 3s", "expected a share with errors alone, as in"],
    ["roll backend-2 at 3s", "expected backends behind roll, which is done to all of them one after the other, as in"],
    ["kill backends at 3s", "expected the name of one part: only roll is done to all backends, as in"],
    [{ kill: "backend-2" }, "faults[0].at: expected a time such as"],
    [{ at: "3s" }, "faults[0]: expected one of kill, start, stop,"],
    [{ at: "3s", kill: "a", pause: "b" }, "got kill and pause"],
    [{ at: "3s", kil: "a" }, 'faults[0]: there is no setting "kil". Did you mean "kill"?'],
    [{ at: "3s", errors: "a", share: 2 }, 'faults[0].share: expected a share from 0% to 100%, such as "50%", got 2'],
    [{ at: "3s", kill: "backends" }, "faults[0]: expected the name of one part:"],
  ])("is refused of %j", (given, message) => {
    expect(() => faultsOf(given)).toThrow(message);
  });

  it("is named by its flag where that gave it", () => {
    expect(() => parseSweepInput({ faults: [KILL, "kill"] }, nameFlag)).toThrow(/^--fault: expected "at" and a time/);
  });
});

describe("a sweep with faults", () => {
  it("does them in order of time, to targets that are whole at each step, in an open loop, and goes on after the last", async () => {
    const scenario = await resolve({ faults: ["start backend-2 at 8s", KILL, { at: "3s", pause: "backend-1" }] });
    expect(scenario).toMatchObject({
      name: "sweep",
      levels: [{ rate: 500, durationMs: 13_000 }],
      restart: "step",
      arrival: { spacing: "uniform" },
      engine: { name: "wire" },
    });
    expect(scenario.faults?.map(formatFault)).toEqual([KILL, "pause backend-1 at 3s", "start backend-2 at 8s"]);
    expect(scenarioSchema.parse(JSON.parse(JSON.stringify(scenario)))).toEqual(scenario);
  });

  it.each<[SweepInput, object]>([
    [{ rate: "100,200", duration: "4s" }, { levels: [100, 200].map((rate) => ({ rate, durationMs: 4000 })) }],
    [{ connections: 5 }, { levels: [{ connections: 5, durationMs: 8000 }], engine: { name: "autocannon" } }],
    [{ restart: "step" }, { restart: "step" }],
  ])("has what is asked for: %j", async (input, expected) => {
    expect(await resolve({ ...input, faults: [KILL] })).toMatchObject(expected);
  });

  it("is one as any other where there is none", async () => {
    const scenario = await resolve({ faults: [] });
    expect(scenario).toEqual(await resolve({}));
    expect(scenario).not.toHaveProperty("faults");
  });

  it.each([
    ["a part that may have been started", ["kill backend-1 at 1s", "roll at 2s", "kill backend-1 at 3s"]],
    ["a part that is paused", ["pause backend-2 at 1s", KILL]],
    [
      "a part that is ended at its balancer",
      ["kill backend-2 at 1s", "drain backend-2 at 2s", "start backend-2 at 3s"],
    ],
  ])("may do something to %s", async (_, faults) => {
    expect((await resolve({ faults })).faults).toHaveLength(faults.length);
  });
});

describe("a run of the usual faults", () => {
  const usual = async (input: SweepInput) => (await resolve(input, "faults")).faults?.map(formatFault);
  const named = (name: string) => ({
    name,
    server: "balanced",
    options: { backends: [{ server: "single", name: "api", count: 3 }] },
  });

  it("does them to balanced, if to nothing else, one after the other", async () => {
    const scenario = await resolveScenario("faults", parseSweepInput({}, "test"), PLUGINS);
    expect(scenario).toMatchObject({
      name: "faults",
      targets: [{ name: "balanced" }],
      levels: [{ rate: 500, durationMs: DEFAULTS.faults.usualDurationMs }],
      restart: "step",
    });
    expect(scenario.faults?.map(formatFault)).toEqual(DEFAULTS.faults.usual);
  });

  it("does them to a backend of a name that all targets have", async () => {
    expect(await usual({ targets: ["balanced", "nginx", "haproxy"] })).toEqual(DEFAULTS.faults.usual);
    expect((await usual({ targets: [named("one"), named("two")] }))?.[0]).toBe("kill api-2 at 3s");
    const single = { name: "alone", server: "balanced", options: { backends: 1 } };
    expect((await usual({ targets: ["balanced", single] }))?.[0]).toBe("kill backend-1 at 3s");
  });

  it("does those that are named in their place, to any target", async () => {
    expect(await usual({ targets: ["cluster"], faults: ["kill cluster worker-1 at 3s"] })).toEqual([
      "kill cluster worker-1 at 3s",
    ]);
  });
});
