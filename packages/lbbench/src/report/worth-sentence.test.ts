import { expect, it } from "vitest";
import { aRun } from "../judge/test-support/compare-samples.js";
import { compareOf } from "./reference-comparison.js";
import { describeWorth } from "./throughput-sentences.js";

/** What is said of a target that makes so many times the throughput of the other, by connections. */
function said(factors: Readonly<Record<number, number>>, trials: number): string {
  const run = aRun({
    targets: ["one", "four"],
    connections: Object.keys(factors).map(Number),
    trials,
    speed: (_, connections, target) => (target === "four" ? (factors[connections] ?? 1) : 1),
    scenario: { reference: "one" },
  });
  const [judgement] = compareOf(run).targets;
  return judgement === undefined ? "" : describeWorth(judgement, trials);
}

it.each<[Readonly<Record<number, number>>, number, string]>([
  [
    { 1: 0.8, 10: 1.02, 50: 1.5, 100: 1.7 },
    6,
    "four makes more throughput than one from 50 connections on (+50.0 % to +70.0 %). With 1 connection: -20.0 % throughput, p50 0.250 ms longer.",
  ],
  [
    { 1: 1, 50: 1.5 },
    1,
    "four makes more throughput than one from 50 connections on (+50.0 %), measured once. With 1 connection it costs nothing.",
  ],
  [
    { 1: 0.5, 50: 1.5, 100: 0.9 },
    6,
    "four makes no more throughput than one under the highest load (-10.0 %). With 1 connection: -50.0 % throughput, p50 1.00 ms longer.",
  ],
  [
    { 1: 1.1, 50: 1.2 },
    6,
    "four makes more throughput than one at every level (+10.0 % to +20.0 %). With 1 connection it costs nothing.",
  ],
  [{ 10: 0.5, 50: 1.5 }, 6, ""],
  [{ 1: 0.5 }, 6, ""],
])(
  "says from which load on another target helps, and what it costs with one connection: %j",
  (factors, trials, text) => {
    expect(said(factors, trials)).toBe(text);
  },
);
