import { describe, expect, it } from "vitest";
import { parseSweepInput } from "../api/parse-sweep-input.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import type { Scenario } from "../model/scenario.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { checkStoredScenario } from "./check-stored-scenario.js";
import { DEFAULTS } from "./defaults.js";
import { resolveRamp } from "./resolve-ramp.js";
import type { SweepInput } from "./sweep-input.js";

const PLUGINS = { servers: builtInServers, engines: builtInEngines };

const resolve = (input: SweepInput): Scenario => resolveRamp(parseSweepInput(input, "test"), PLUGINS);

describe("resolveRamp", () => {
  it("makes one level of the users there are in the end, for the rise and the time that all of them stay", () => {
    expect(resolve({ ramp: { from: 10, to: 200, over: "1m", hold: "20s" } })).toMatchObject({
      levels: [{ users: 200, durationMs: 80_000 }],
      ramp: { from: 10, riseMs: 60_000, steps: null },
      arrival: null,
      search: null,
    });
  });

  it("takes about half a minute for each target by default", () => {
    const { levels, ramp, reference, warmupMs } = resolve({});
    expect(levels).toEqual([{ users: DEFAULTS.ramp.to, durationMs: DEFAULTS.ramp.riseMs + DEFAULTS.ramp.holdMs }]);
    expect(levels[0]?.durationMs).toBeLessThanOrEqual(30_000);
    expect(ramp).toEqual({ from: DEFAULTS.ramp.from, riseMs: DEFAULTS.ramp.riseMs, steps: null });
    expect(reference).toBe("single");
    expect(warmupMs).toBe(DEFAULTS.warmupMs);
  });

  it("holds the last step as long as each of the others", () => {
    expect(resolve({ ramp: { from: 10, to: 100, over: "90s", steps: 9 } }).levels).toEqual([
      { users: 100, durationMs: 100_000 },
    ]);
    expect(resolve({ ramp: { over: "1s", steps: 3 } }).levels[0]?.durationMs).toBe(1334);
  });

  it("takes none for steps, and users that do not rise", () => {
    expect(resolve({ ramp: { steps: "none" } }).ramp).toMatchObject({ steps: null });
    expect(resolve({ ramp: { from: 5, to: 5 } }).ramp).toMatchObject({ from: 5, steps: null });
  });

  it("chooses for each target an engine that can raise users", () => {
    const { engine, targets } = resolve({ targets: ["single", "grpc-gateway", "grpc"] });
    expect(engine.name).toBe("undici");
    expect(targets.map((target) => target.engine?.name)).toEqual([undefined, undefined, "grpc"]);
  });

  it("refuses an engine that cannot, and names those that can", () => {
    expect(() => resolve({ targets: ["single"], engine: "autocannon" })).toThrow(
      /^The engine "autocannon" cannot raise users over time.*undici/,
    );
  });

  it("is what it was when it was stored", () => {
    const scenario = resolve({ targets: ["single", "grpc"], ramp: { to: 20, steps: 2 } });
    const stored = JSON.parse(JSON.stringify(scenario)) as Scenario;
    expect(checkStoredScenario(stored, PLUGINS, "result.json")).toEqual(scenario);
  });

  it.each<[SweepInput, string]>([
    [{ connections: [1] }, "connections: expected nothing of the kind in a ramp"],
    [{ rate: 100 }, "rate: expected nothing of the kind in a ramp"],
    [{ arrival: { spacing: "poisson" } }, "arrival: expected nothing of the kind in a ramp"],
    [{ requests: 100 }, "requests: expected nothing of the kind in a ramp"],
    [{ duration: "5s" }, "duration: expected nothing of the kind in a ramp"],
    [{ stopOn: ["errors>1%"] }, "stopOn: expected nothing of the kind in a ramp"],
    [
      { ramp: { from: 20, to: 10 } },
      "ramp.to (--to): expected at least as many users as there are from the start (ramp.from, --from), 20, got 10",
    ],
    [{ ramp: { from: DEFAULTS.ramp.to + 1 } }, `${DEFAULTS.ramp.to + 1}, got ${DEFAULTS.ramp.to}`],
    [{ ramp: { from: 5, to: 10, steps: 6 } }, "ramp.steps (--steps): expected at most 5, one for each user that comes"],
    [{ search: { by: "rate" } }, "search: expected nothing of the kind in a ramp"],
    [
      { ramp: { from: 5, to: 5, steps: 2 } },
      "ramp.steps (--steps): expected none where nobody comes, as there are 5 users from the start (--from) to the end (--to), got 2. " +
        "Raise ramp.to, or leave the steps out: --steps none.",
    ],
    [{ ramp: { steps: "many" } }, 'ramp.steps: expected a whole number of at least 1, or "none", got "many"'],
    [{ ramp: { steps: 0 } }, "ramp.steps: expected a whole number of at least 1, got 0"],
    [
      { ramp: { over: "576h", hold: "1ms" } },
      "ramp.over (--over) and ramp.hold (--hold): expected a time of at most 576h (24 days) for both together, got 2073600001ms",
    ],
    [{ ramp: { over: "0" } }, 'ramp.over: expected a time longer than 0, got "0"'],
    [{ ramp: { hold: "0" } }, 'ramp.hold: expected a time longer than 0: the last user comes when it begins, got "0"'],
    [{ ramp: { from: 0 } }, "ramp.from: expected a whole number of at least 1, got 0"],
  ])("refuses %j", (input, message) => {
    expect(() => resolve(input)).toThrow(message);
  });
});
