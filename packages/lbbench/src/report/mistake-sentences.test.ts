import { expect, it } from "vitest";
import type { FindingArgs, FindingCode } from "../model/finding.js";
import { describeFinding } from "./finding-text.js";

const BYTES = { target: "b", other: "a", received: 1350, body: 1200, otherReceived: 162, otherBody: 12 };
const FAILED = { count: 970, answers: 1000, share: 0.97, p50: 12.6, failedP50: 7.92, mixedP50: 8.1 };
const NOISE = { target: "b", reference: "a", kind: "connections", metric: "throughput", trials: 5 };

it.each<[FindingCode, FindingArgs, string]>([
  ["BYTES_DIFFER", { ...BYTES, reason: "body" }, "b: its answers have 1,200 bytes of body, those of a 12."],
  [
    "BYTES_DIFFER",
    { target: "b", other: "a", reason: "counting", received: 12, otherReceived: 162, engine: "x", otherEngine: "ab" },
    "b: 12 bytes per answer were counted, and 162 of a (engine x, there ab): only one of the two counts head and body.",
  ],
  [
    "BYTES_DIFFER",
    { ...BYTES, reason: "head" },
    "b: 1,350 bytes per answer were counted, and 162 of a, although the bodies are alike.",
  ],
  [
    "BYTES_DIFFER",
    { ...BYTES, reason: "unknown" },
    "b: 1,350 bytes per answer were counted, and 162 of a: the answers differ, or the engines count different things.",
  ],
  [
    "FAST_FAILURES",
    FAILED,
    "970 of 1,000 answers (97.0 %) failed, half of what failed within 7.92 ms; mixed with the good ones they would give a median of at most 8.10 ms in place of 12.6 ms.",
  ],
  [
    "FAST_FAILURES",
    { ...FAILED, mean: 14, mixedMean: 8.956, lighter: 20, lighterP50: 11 },
    "970 of 1,000 answers (97.0 %) failed, half of what failed within 7.92 ms; mixed with the good ones they would give a median of at most 8.10 ms in place of 12.6 ms, and a mean of 8.96 ms in place of 14.0 ms, as if it were faster than with 20 (11.0 ms).",
  ],
  [
    "IDENTICAL_FIGURES",
    { target: "b", other: "a", levels: "1, 50", connections: 1, copied: 2, figures: 26 },
    "b at 1, 50 connections: its latencies are those of a, digit for digit (26 different numbers).",
  ],
  [
    "IDENTICAL_FIGURES",
    { target: "a", other: "a", levels: "50", connections: 50, copied: 1, figures: 13 },
    "a at 50 connections: the latencies of 1 step are those of another of its steps, digit for digit (13 different numbers).",
  ],
  [
    "WITHIN_NOISE",
    { ...NOISE, higher: "50, 100", highest: 0.098, lower: "1", lowest: -0.347 },
    "b: throughput was measured up to 9.8 % above that of a at 50, 100 connections and up to 34.7 % below that of a at 1 connection, but 5 trials do not tell that from noise.",
  ],
  [
    "WITHIN_NOISE",
    { ...NOISE, higher: "500, 1000", higherRequests: "100, 10000", highest: 0.098 },
    "b: throughput was measured up to 9.8 % above that of a at 500, 1,000 connections with 100 / 10,000 requests, but 5 trials do not tell that from noise.",
  ],
  [
    "WITHIN_NOISE",
    { ...NOISE, kind: "rate", metric: "p50", lower: "500", lowest: -0.05 },
    "b: p50 was measured up to 5.0 % below that of a at 500 requests per second, but 5 trials do not tell that from noise.",
  ],
])("%s is said in words: %o", (code, args, text) => {
  expect(describeFinding({ code, severity: "info", args }).text).toBe(text);
});
