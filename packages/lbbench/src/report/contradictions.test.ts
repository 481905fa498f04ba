import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intervalOf, isToldTogether, verdictOf } from "../judge/compare-targets.js";
import { speedMetric } from "../judge/metrics.js";
import { findShortfalls, judgeResult } from "../judge/judge-result.js";
import { aRun, judged } from "../judge/test-support/compare-samples.js";
import type { Finding, FindingArgs } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { loadValue } from "../stats/load.js";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise } from "../stats/test-support/simulated-trials.js";
import { readResultSync } from "../store/read-result.js";
import { collectCells } from "./cells.js";
import { shownFigure } from "./figures.js";
import { describeHeadline } from "./headline.js";
import { createReportModel } from "./report-model.js";
import { renderSummary } from "./summary-table.js";

const CLAIMS: ReadonlySet<string> = new Set(["FASTER", "SLOWER", "FAILS_MORE", "FAILS_LESS"]);
const NO_CLAIM: ReadonlySet<string> = new Set(["WITHIN_NOISE", "UNTESTED", "ALIKE"]);

/** The levels that a finding speaks of. */
function levelsOf({ levels, higher, lower }: FindingArgs): readonly string[] {
  return [levels, higher, lower].flatMap((list) => (list === undefined ? [] : String(list).split(", ")));
}

/** What findings claim of each pair, metric and level; `~` where they say that nothing is. */
function claimsOf(findings: readonly Finding[]): ReadonlyMap<string, readonly string[]> {
  const claims = new Map<string, readonly string[]>();
  for (const { code, args } of findings) {
    if (!CLAIMS.has(code) && !NO_CLAIM.has(code)) continue;
    const metric = code.startsWith("FAILS") ? "errors" : String(args["metric"]);
    for (const level of levelsOf(args)) {
      const place = JSON.stringify([args["target"], args["reference"], metric, level, args["amounts"] ?? ""]);
      claims.set(place, [...(claims.get(place) ?? []), NO_CLAIM.has(code) ? "~" : code]);
    }
  }
  return claims;
}

/** A throughput that is higher than where it is said to stop growing by more than this part contradicts that. */
const ABOUT = 1.1;

/** Every pair of statements of a report that cannot both be true. */
function contradictionsOf(stored: Result): readonly string[] {
  const { result, comparison } = createReportModel(stored);
  const { status, findings } = result.verdict;
  const claims = [...claimsOf(findings)].flatMap(([place, said]) =>
    new Set(said).size > 1 ? [`${place} is ${said.join(" and ")}`] : [],
  );
  // What a table calls faster or slower, level by level or together, and where it says that nothing is known.
  const told = comparison.targets.flatMap((pair) =>
    pair.levels.flatMap((row) => {
      const { reference, other } = pair;
      const verdict = verdictOf(row[speedMetric(row.level)]);
      const load = String(loadValue(row.level));
      const own = findings.filter(
        ({ code, args }) =>
          (code === "FASTER" || code === "SLOWER") &&
          args["target"] === other &&
          args["reference"] === reference &&
          args["metric"] === speedMetric(row.level) &&
          levelsOf(args).includes(load),
      );
      const { change } = row[speedMetric(row.level)] ?? {};
      const against = own.find(
        ({ args: { least, most } }) => Number(least) * Number(most) > 0 && Number(least) * Number(change) < 0,
      );
      if (against !== undefined)
        return [`${other} at ${load} goes the other way than ${against.code} says of each level`];
      if (verdict === "~") {
        const isShown = !isToldTogether(pair, row.level, speedMetric(row.level));
        return isShown && own.length > 0
          ? [`${other} at ${load} is ~ in the table, and ${own[0]?.code} by a finding`]
          : [];
      }
      const isTold = own.some(({ code }) => code === verdict.toUpperCase());
      return isTold ? [] : [`${other} at ${load} is ${verdict}, which no finding says`];
    }),
  );
  const { of } = shownFigure("throughput_per_s");
  const cells = collectCells(result);
  const rows = findings.flatMap(({ code, args }) => {
    const own = cells.filter(({ target }) => target === args["target"]);
    const most = Math.max(0, ...own.map((cell) => of(cell) ?? 0));
    const said = Number(args["throughput"]);
    if (code === "PEAK" && said < most) return [`${args["target"]} has a peak of ${said} and a row of ${most}`];
    if (code !== "KNEE" || args["then"] !== undefined || result.scenario.ramp !== null) return [];
    const above = own.filter(({ level }) => loadValue(level) >= Number(args["above"]));
    const beyond = Math.max(0, ...above.map((cell) => of(cell) ?? 0));
    return beyond > ABOUT * said ? [`${args["target"]} stops growing at ${said} and has a row of ${beyond}`] : [];
  });
  const doubts = findings.filter(({ code, severity }) => severity === "error" || code.endsWith("INCONCLUSIVE"));
  const verdict =
    status === "pass" && (doubts.length > 0 || findShortfalls(result).length > 0)
      ? [`pass, and ${doubts.map(({ code }) => code).join(", ") || "a shortfall"}`]
      : [];
  // What is claimed to differ has an interval that says so.
  const intervals = comparison.targets.flatMap(({ other, overall, levels }) =>
    [
      { place: "all levels", verdict: overall?.verdict ?? "~", interval: overall?.interval ?? null },
      ...levels.flatMap(({ level, ...metrics }) =>
        Object.entries(metrics)
          .flatMap(([metric, figures]) => ("kind" in figures ? { metric, figures } : []))
          .map(({ metric, figures }) => ({
            place: `${metric} at ${loadValue(level)}`,
            verdict: verdictOf(figures),
            interval: intervalOf(figures),
          })),
      ),
    ].flatMap((one) =>
      one.verdict !== "~" && one.interval !== null && one.interval.low < 0 && one.interval.high > 0
        ? [
            `${other} is ${one.verdict} over ${one.place}, with an interval from ${one.interval.low} to ${one.interval.high}`,
          ]
        : [],
    ),
  );
  return [...claims, ...told, ...rows, ...verdict, ...intervals];
}

const REPORTS = join(import.meta.dirname, "../../../../reports");

function keptReports(): readonly string[] {
  const files = readdirSync(REPORTS, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith("result.json")).map(dirname);
}

it("finds what contradicts itself", () => {
  const result = judged(
    aRun({
      targets: ["a", "b"],
      scenario: { reference: "a" },
      trials: 8,
      speed: (t, _, n) => (n === "a" ? 1 : 2) + t / 100,
    }),
  );
  expect(contradictionsOf(result)).toEqual([]);
  const findings = result.verdict.findings.map((one) =>
    one.code === "FASTER" ? { ...one, code: "SLOWER" as const } : one,
  );
  expect(contradictionsOf({ ...result, verdict: { ...result.verdict, findings } })).toEqual([
    "b at 50 is faster, which no finding says",
  ]);
});

it("finds no difference that is told beside an interval which has none, of three targets with few trials", () => {
  const [a, b] = [
    [100, 101, 99, 100, 102, 98],
    [105, 104, 106, 105, 100, 104],
  ];
  const speed = (trial: number, _: number, target: string): number =>
    ((target === "b" ? b : a)[trial - 1] ?? 100) / 100;
  const result = judged(
    aRun({ targets: ["a", "b", "c"], connections: [50], scenario: { reference: "a" }, trials: 6, speed }),
  );
  expect(result.verdict.findings.map(({ code }) => code)).toContain("FASTER");
  expect(contradictionsOf(result)).toEqual([]);
});

it.skipIf(!existsSync(REPORTS)).each(keptReports())("the kept report %s does not contradict itself", (folder) => {
  expect(contradictionsOf(readResultSync(join(REPORTS, folder)).result)).toEqual([]);
});

describe("a random result", () => {
  const shapes = fc.record({
    seed: fc.integer({ min: 1, max: 1e6 }),
    trials: fc.constantFrom(1, 2, 4, 5, 6, 9),
    levels: fc.constantFrom([50], [1, 50], [1, 10, 50, 100], [10, 20, 40, 80, 160]),
    factors: fc.constantFrom([1, 1], [1, 1.1], [1, 0.6, 1.4], [1, 1, 1, 0.9]),
    // From level to level the others gain on the reference.
    gain: fc.constantFrom(0, 0.15),
    noise: fc.constantFrom(0.005, 0.03, 0.2),
    knee: fc.constantFrom(0, 20, 60),
    failing: fc.constantFrom(0, 0, 0.0005, 0.3),
    doubtful: fc.constantFrom(0, 0.3, 1),
    margin: fc.constantFrom(null, 0.05),
  });

  it("does not contradict itself, whatever its trials, levels, noise, failures and doubts", () => {
    fc.assert(
      fc.property(shapes, ({ seed, trials, levels, factors, gain, noise, knee, failing, doubtful, margin }) => {
        const random = seededRandom(seed);
        const targets = factors.map((_, at) => `target ${at}`);
        const factorOf = (name: string, connections: number): number =>
          (factors[targets.indexOf(name)] ?? 1) *
          (name === "target 0" ? 1 : 1 + gain * (levels as readonly number[]).indexOf(connections));
        const run = judged(
          aRun({
            targets,
            connections: levels,
            trials,
            scenario: { reference: "target 0", margin },
            speed: (_, connections, name) =>
              addNoise(
                random,
                factorOf(name, connections) * (knee === 0 ? 1 : Math.min(connections, knee) / knee),
                noise,
              ),
            failed: (_, connections) => (connections >= 50 && random() < 0.9 ? failing : 0),
          }),
        );
        const steps = run.steps.map((step) =>
          random() < doubtful
            ? {
                ...step,
                findings: [
                  ...step.findings,
                  { code: "HOST_BUSY" as const, severity: "warning" as const, args: { steal: 0.1 } },
                ],
              }
            : step,
        );
        const doubted = { ...run, steps };
        expect(contradictionsOf({ ...doubted, verdict: judgeResult(doubted) })).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

it("the default sweep is told in forty lines of 80 columns at most, the first of them five lines of the report", () => {
  const { result } = readResultSync(join(REPORTS, "sample-sweep"));
  const summary = renderSummary(result, 80);
  // A blank line, and the one that names the report, come after it.
  expect(summary.trimEnd().split("\n").length + 2).toBeLessThanOrEqual(40);
  const { lines, next } = describeHeadline(createReportModel(result));
  expect(lines.length + (next === "" ? 0 : 1) + 1).toBeLessThanOrEqual(5);
});
