import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { intervalOf, isToldTogether, verdictOf } from "../judge/compare-targets.js";
import { speedMetric } from "../judge/metrics.js";
import { findShortfalls, judgeResult } from "../judge/judge-result.js";
import { aRun, changed, judged } from "../judge/test-support/compare-samples.js";
import type { Finding, FindingArgs } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { loadValue } from "../stats/load.js";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise } from "../stats/test-support/simulated-trials.js";
import { readResultSync } from "../store/read-result.js";
import { collectCells } from "./cells.js";
import { comparedAt } from "./compare-words.js";
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

/** Throughput is said to stop growing at the median of the levels within 10 % of the highest, so no level has more than this many times it. */
const ABOUT = 1 / 0.9;

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
      const metric = speedMetric(row.level);
      const load = String(loadValue(row.level));
      const place = `${pair.other} at ${load}`;
      const own = findings.filter(
        ({ code, args }) =>
          (code === "FASTER" || code === "SLOWER") &&
          args["target"] === pair.other &&
          args["reference"] === pair.reference &&
          args["metric"] === metric &&
          levelsOf(args).includes(load),
      );
      const change = Number(row[metric]?.change);
      const against = own.find(({ args }) => {
        const [least, most] = [Number(args["least"]), Number(args["most"])];
        return least * most > 0 && least * change < 0;
      });
      if (against !== undefined) return [`${place} goes the other way than ${against.code} says of each level`];
      const verdict = verdictOf(row[metric]);
      if (verdict !== "~") {
        const isTold = own.some(({ code }) => code === verdict.toUpperCase());
        return isTold ? [] : [`${place} is ${verdict}, which no finding says`];
      }
      if (isToldTogether(pair, row.level, metric)) return [];
      return own.map(({ code }) => `${place} is ~ in the table, and ${code} by a finding`);
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
    return beyond > ABOUT * said + 1e-6
      ? [`${args["target"]} stops growing at ${said} and has a row of ${beyond}`]
      : [];
  });
  const doubts = findings.filter(({ code, severity }) => severity === "error" || code.endsWith("INCONCLUSIVE"));
  const verdict =
    status === "pass" && (doubts.length > 0 || findShortfalls(result).length > 0)
      ? [`pass, and ${doubts.map(({ code }) => code).join(", ") || "a shortfall"}`]
      : [];
  // What is claimed to differ has an interval that says so.
  const intervals = comparison.targets.flatMap(({ other, overall, levels }) => {
    const single = levels.flatMap((row) =>
      comparedAt(row).map(({ words, figures }) => ({
        place: `${words.key} at ${loadValue(row.level)}`,
        verdict: verdictOf(figures),
        interval: intervalOf(figures),
      })),
    );
    const all = overall === undefined ? [] : [{ ...overall, place: "all levels" }];
    return [...all, ...single].flatMap(({ place, verdict: word, interval }) =>
      word !== "~" && interval !== null && interval.low < 0 && interval.high > 0
        ? [`${other} is ${word} over ${place}, with an interval from ${interval.low} to ${interval.high}`]
        : [],
    );
  });
  return [...claims, ...told, ...rows, ...verdict, ...intervals];
}

const REPORTS = join(import.meta.dirname, "../../../../reports");

function keptReports(): readonly string[] {
  const files = readdirSync(REPORTS, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith("result.json")).map(dirname);
}

it("finds what contradicts itself", () => {
  const speed = (trial: number, _: number, target: string): number => (target === "a" ? 1 : 2) + trial / 100;
  const result = judged(aRun({ targets: ["a", "b"], scenario: { reference: "a" }, trials: 8, speed }));
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

it("a random result does not contradict itself, whatever its trials, levels, noise, failures and doubts", () => {
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
  const DOUBT = { code: "HOST_BUSY", severity: "warning", args: { steal: 0.1 } } as const;
  const property = fc.property(shapes, (shape) => {
    const { trials, levels, factors, gain, noise, knee, failing, doubtful, margin } = shape;
    const random = seededRandom(shape.seed);
    const targets = factors.map((_, at) => `target ${at}`);
    const run = aRun({
      targets,
      connections: levels,
      trials,
      scenario: { reference: "target 0", margin },
      speed: (_, connections, name) => {
        const gained = name === "target 0" ? 1 : 1 + gain * (levels as readonly number[]).indexOf(connections);
        const grown = knee === 0 ? 1 : Math.min(connections, knee) / knee;
        return addNoise(random, (factors[targets.indexOf(name)] ?? 1) * gained * grown, noise);
      },
      failed: (_, connections) => (connections >= 50 && random() < 0.9 ? failing : 0),
    });
    const doubted = changed(judged(run), (step) =>
      random() < doubtful ? { ...step, findings: [...step.findings, DOUBT] } : step,
    );
    expect(contradictionsOf({ ...doubted, verdict: judgeResult(doubted) })).toEqual([]);
  });
  const shape = { trials: 1, levels: [10, 20, 40, 80, 160], factors: [1, 1], gain: 0, noise: 0.03, knee: 20 } as const;
  const sound = { failing: 0, doubtful: 0, margin: null } as const;
  // One level is 10.2 % above the one that throughput is said to stop at.
  const above = { ...shape, ...sound, seed: 978_201 };
  // Of two trials that are left out at 10 connections the tests of all levels together know more than that of this level.
  const left = {
    ...above,
    seed: 18,
    trials: 6,
    levels: [1, 10, 50, 100],
    factors: [1, 1.1],
    knee: 0,
    doubtful: 0.3,
  } as const;
  fc.assert(property, { numRuns: 60, examples: [[above], [left]] });
});

it("the default sweep is told in forty lines of 80 columns at most, the first of them five lines of the report", () => {
  const { result } = readResultSync(join(REPORTS, "sample-sweep"));
  const summary = renderSummary(result, 80);
  // A blank line, and the one that names the report, come after it.
  expect(summary.trimEnd().split("\n").length + 2).toBeLessThanOrEqual(40);
  const { lines, next } = describeHeadline(createReportModel(result));
  expect(lines.length + (next === "" ? 0 : 1) + 1).toBeLessThanOrEqual(5);
});
