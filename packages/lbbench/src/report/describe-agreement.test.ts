import { describe, expect, it } from "vitest";
import type { FindingCode } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { aLatency, aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { describeAgreements } from "./describe-agreement.js";
import { createDocument } from "./document/report-document.js";
import { describeComparisons } from "./headline.js";

const LEVELS = [1, 50].map((connections) => ({ connections, durationMs: 3000 }));
const AB = { name: "ab", options: {} };

const TARGETS: readonly Target[] = [
  { name: "Node by autocannon", server: "single", options: {} },
  { name: "Go by autocannon", server: "command", options: {}, references: ["Node by autocannon"] },
  { name: "Node by ab", server: "single", options: {}, engine: AB, references: ["Node by autocannon"] },
  { name: "Go by ab", server: "command", options: {}, engine: AB, references: ["Node by ab", "Go by autocannon"] },
];

/** Six trials of every level, whose throughputs are those given, and vary by some percent. */
function measured(
  rates: Readonly<Record<string, readonly [number, number]>>,
  doubtful?: { readonly target: string; readonly code: FindingCode },
  targets: readonly Target[] = TARGETS,
): Result {
  const steps = targets.flatMap(({ name, engine }) =>
    LEVELS.flatMap((level, at) =>
      Array.from({ length: 6 }, (_, index): StepResult => {
        const throughput = (rates[name]?.[at] ?? 1000) * (1 + index / 200);
        return aStep({
          target: name,
          level,
          trial: index + 1,
          engine: engine?.name ?? "autocannon",
          measurement: aMeasurement({ throughput, latency: aLatency() }),
          findings:
            doubtful?.target === name ? [{ code: doubtful.code, severity: "warning", args: { machine: 1 } }] : [],
        });
      }),
    ),
  );
  const scenario = aScenario({ targets, reference: targets[0]?.name ?? null, levels: LEVELS, trials: 6 });
  return aResult({ scenario, steps });
}

const AGREEING = { "Go by autocannon": [2000, 500], "Go by ab": [1500, 700] } as const;

describe("two systems, compared by two engines", () => {
  it("are each compared with what their target names", () => {
    expect(describeComparisons(measured(AGREEING)).map((line) => line.slice(0, line.indexOf(":")))).toEqual([
      "Go by autocannon compared with Node by autocannon",
      "Node by ab compared with Node by autocannon",
      "Go by ab compared with Node by ab",
      "Go by ab compared with Go by autocannon",
    ]);
  });

  it("agree level by level", () => {
    expect(describeAgreements(measured(AGREEING))).toEqual([
      "Do autocannon and ab agree? Go by autocannon against Node by autocannon, and Go by ab against Node by ab: both say faster at 1 connection; both say slower at 50 connections.",
    ]);
  });

  it("contradict each other", () => {
    const [line] = describeAgreements(measured({ ...AGREEING, "Go by ab": [500, 700] }));
    expect(line).toContain(": they contradict each other at 1 connection; both say slower at 50 connections.");
  });

  it("do not agree where one of them cannot tell", () => {
    const doubt = { target: "Go by autocannon", code: "GENERATOR_SATURATED" } as const;
    const [line] = describeAgreements(measured(AGREEING, doubt));
    expect(line).toContain(": only ab says faster at 1 connection; only ab says slower at 50 connections.");
  });

  it("agree in part where some of several cannot tell", () => {
    const by = (engine: string): readonly Target[] => [
      { name: `Node by ${engine}`, server: "single", options: {}, engine: { name: engine, options: {} } },
      {
        name: `Go by ${engine}`,
        server: "command",
        options: {},
        engine: { name: engine, options: {} },
        references: [`Node by ${engine}`],
      },
    ];
    const targets = ["ab", "undici", "wrk"].flatMap(by);
    const rates = { "Go by ab": [2000, 2000], "Go by undici": [2000, 1000] } as const;
    expect(describeAgreements(measured(rates, undefined, targets))[0]).toMatch(
      /: ab and undici say faster, the other cannot tell at 1 connection; only ab says faster at 50 connections\.$/,
    );
  });

  it("say nothing where neither can tell", () => {
    const [line] = describeAgreements(measured({}));
    expect(line).toMatch(/: neither can tell a difference at any level\.$/);
  });

  it("are in the verdict of the report", () => {
    const [verdict] = createDocument(measured(AGREEING)).sections;
    expect(JSON.stringify(verdict)).toContain("Do autocannon and ab agree?");
  });

  it("are nothing to speak of with a single engine", () => {
    const { scenario, ...rest } = measured(AGREEING);
    const targets = scenario.targets.map((target) => ({ ...target, engine: AB }));
    expect(describeAgreements({ ...rest, scenario: { ...scenario, targets } })).toEqual([]);
  });
});
