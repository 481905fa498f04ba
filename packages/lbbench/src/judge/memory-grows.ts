import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { ProcessUsage } from "../model/usage.js";
import { receivedRequests } from "../stats/backend-shares.js";
import { sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { keepsRate } from "../stats/load.js";
import { finishedRequests } from "../stats/request-counts.js";
import { found, type Run } from "./found.js";

/** Bytes a request from which on growth is told. */
const LEAST_BYTES = 500;

/** What a heap grows by until it has found its size, and for each connection. */
const SETTLING_BYTES = 64e6;
const CONNECTION_BYTES = 100e3;

/** Part of the mean growth a request that the last half of the requests, and the whole life, have to show as well. */
const STILL = 0.5;

/** Parts of the steps in which it has to grow, and of the starts. */
const MOST_STEPS = 0.75;
const MOST_LIVES = 2 / 3;

/**
 * `MEMORY_GROWS` for every backend and balancer whose resident memory grows with the requests that came to it, with the figures of the start
 * with the most growth a request. In the second halves of the steps, of which `requestBytes` is, what a level needs is there already.
 */
export function findGrowingMemory({ scenario, steps }: Run): readonly Finding[] {
  // More users need more memory.
  if (scenario.ramp !== null) return [];
  const seen = steps
    .filter(isCalm)
    .flatMap((step) => [
      ...(step.usage?.backends ?? []).flatMap((process, _, all) => lookOf(step, process, all.length)),
      ...(step.usage?.balancer ?? []).flatMap((process) => lookOf(step, process, 1)),
    ]);
  const processes = groupBy(seen, ({ target, name }) => JSON.stringify([target, name]));
  return [...processes.values()].flatMap((own): readonly Finding[] => {
    const lives = [...groupBy(own, ({ pid }) => String(pid)).values()].flatMap((life) => growthOf(life) ?? []);
    const growing = lives.filter(({ isLeak }) => isLeak);
    const [worst] = growing.toSorted((a, b) => b.requestBytes - a.requestBytes);
    const [first] = own;
    if (first === undefined || worst === undefined || growing.length < lives.length * MOST_LIVES) return [];
    const { requestBytes, fromBytes, toBytes, requests } = worst;
    const figures = { requestBytes, fromBytes, toBytes, requests, lives: growing.length, of: lives.length };
    return found("MEMORY_GROWS", "warning", { target: first.target, process: first.name, ...figures });
  });
}

/** Whether nothing but the requests that were answered explains what the target keeps: behind a rate they pile up. */
function isCalm({ state, faults, level, measurement }: StepResult): boolean {
  const isBehind = level.rate !== undefined && (measurement === undefined || !keepsRate(level, measurement));
  return state === "completed" && faults === undefined && !isBehind;
}

/** With the requests that came to the process, or, where that is not told, its part of those that are shared out among so many. */
function lookOf({ target, level, measurement }: StepResult, { name, pid, memory }: ProcessUsage, among: number) {
  const { backends = {}, requests: all } = measurement ?? {};
  const own = Object.hasOwn(backends, name) ? backends[name] : undefined;
  const part = all === undefined ? 0 : Math.round(finishedRequests(all) / among);
  const requests = own === undefined ? part : receivedRequests(own);
  if (memory === undefined || requests === 0) return [];
  return [{ target, name, pid, memory, requests, connections: level.connections ?? 0 }];
}

/** How the memory of a process grew from its start to its end, step after step. */
function growthOf(steps: readonly ReturnType<typeof lookOf>[number][]) {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const requests = sumOf(steps, (step) => step.requests);
  const late = steps.map(({ memory, requests: of }) => ({
    bytes: memory.endBytes - memory.middleBytes,
    requests: of / 2,
  }));
  const requestBytes = meanGrowth(late);
  const rise = last.memory.endBytes - first.memory.startBytes;
  const connections = Math.max(...steps.map((step) => step.connections));
  const isLeak =
    requestBytes >= LEAST_BYTES &&
    rise >= SETTLING_BYTES + CONNECTION_BYTES * connections &&
    // Memory that is given back between the steps is not kept for requests.
    rise >= STILL * requestBytes * requests &&
    meanGrowth(lastHalf(late)) >= STILL * requestBytes &&
    late.filter(({ bytes }) => bytes > 0).length >= MOST_STEPS * late.length;
  return { isLeak, requestBytes, fromBytes: first.memory.startBytes, toBytes: last.memory.endBytes, requests };
}

type Growth = readonly { readonly bytes: number; readonly requests: number }[];

function meanGrowth(growth: Growth): number {
  return sumOf(growth, ({ bytes }) => bytes) / sumOf(growth, ({ requests }) => requests);
}

/** The steps of the last half of the requests; the one in the middle is among them. */
function lastHalf(growth: Growth): Growth {
  const half = sumOf(growth, ({ requests }) => requests) / 2;
  let before = 0;
  return growth.filter(({ requests }) => {
    before += requests;
    return before > half;
  });
}
