import type { StepResult } from "../model/result.js";
import { describeStepError } from "./describe-state.js";
import { describeLoad } from "./describe-level.js";
import { formatCount, formatRate, formatTime } from "./format-number.js";
import { plainLine } from "./plain-line.js";
import { failedRequests } from "../stats/request-counts.js";

/** Returns what came of a step in one line of plain text: `balanced, 50 connections: 9,120 ok/s, p50 5.12 ms, ...`. */
export function renderStepLine(step: StepResult): string {
  const what = `${step.target}, ${describeLoad(step.level)}`;
  return plainLine(`${what}: ${describeOutcome(step)}`);
}

function describeOutcome(step: StepResult): string {
  const { measurement } = step;
  if (measurement === undefined) return describeStepError(step);
  const { latency, requests, throughput } = measurement;
  const failed = failedRequests(requests);
  const figures = [
    `${formatRate(throughput)} ok/s`,
    ...named("p50", latency?.p50),
    ...named("p99", latency?.p99),
    `${formatCount(failed)} failed`,
    ...(step.state === "completed" ? [] : [describeStepError(step)]),
  ];
  return figures.join(", ");
}

function named(name: string, ms: number | undefined): readonly string[] {
  return ms === undefined ? [] : [`${name} ${formatTime(ms)} ms`];
}
