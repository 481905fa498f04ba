import type { Imported, StepResult } from "../model/result.js";
import type { BackendGroup, Target, TargetEngine, ToldScenario } from "../model/scenario.js";
import { backendGroups } from "../stats/backend-shares.js";
import { sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { failedRequests } from "../stats/request-counts.js";
import type { Cell } from "./cells.js";
import { describeLoad } from "./describe-level.js";
import { formatCount, formatDuration, formatRate, formatTime, countOf } from "../stats/format-number.js";
import { joinWords, plainLine } from "./plain-line.js";

/** Says how requests are sent, `HTTP/2, up to 10 users on a connection`; `undefined` for HTTP/1.1, and where it is not told. */
export function describeHttp(scenario: ToldScenario): string | undefined {
  const { httpVersion, engine, targets } = scenario;
  if (httpVersion === "1.1" || httpVersion === null) return undefined;
  const streams = Math.max(...[engine, ...targets.flatMap((target) => target.engine ?? [])].map(streamsOf));
  return `HTTP/${httpVersion}${streams > 1 ? `, up to ${formatCount(streams)} users on a connection` : ""}`;
}

/** `connections held, a request on each every 4 s, a burst on 100 more`. */
export function describeHold({ everyMs, burst }: NonNullable<ToldScenario["hold"]>): string {
  const more = burst === undefined ? "" : `, a burst on ${formatCount(burst)} more`;
  return `connections held, a request on each every ${formatDuration(everyMs)}${more}`;
}

function streamsOf({ options: { streams } }: TargetEngine): number {
  return typeof streams === "number" ? streams : 1;
}

/** The URL of a target that has one; the port of a command is chosen when it is started. */
export function urlOf({ options: { url } }: Target): URL | undefined {
  const text = typeof url === "string" ? url.replaceAll("{port}", "1") : "";
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The path in the URL of a target, which goes before that of the request. */
export function ownPathOf(target: Target): string | undefined {
  const { pathname = "/", search = "" } = urlOf(target) ?? {};
  return pathname === "/" && search === "" ? undefined : pathname + search;
}

/** A server with its options in one line of plain text: `haproxy, backends (2 x pool, pool 8, queue 20), policy "round-robin"`. */
export function describeServer(server: string, options: Target["options"]): string {
  return [server, ...Object.entries(options).map(([name, value]) => `${name} ${describeValue(value)}`)].join(", ");
}

function describeValue(value: unknown): string {
  const alike = groupBy(backendGroups(value), (group) => describeGroup({ ...group, count: 1 }));
  const groups = [...alike.values()].flatMap((those) =>
    those.slice(0, 1).map((first) => ({ ...first, count: sumOf(those, ({ count }) => count) })),
  );
  return groups.length > 0 ? `(${groups.map(describeGroup).join("; ")})` : JSON.stringify(value);
}

function describeGroup({ name, server, options, count, weight }: BackendGroup): string {
  const named = name === null ? "" : `${JSON.stringify(name)}: `;
  const many = count === 1 ? "" : `${count} x `;
  return `${named}${many}${describeServer(server, options)}${weight === 1 ? "" : `, weight ${weight}`}`;
}

/** Says where an imported result comes from: `Measured with ab 2.3 and wrk (3 runs in 2 files) and imported`; plain text. */
export function describeImport({ files }: Imported): string {
  const programs = [...new Set(files.flatMap((file) => file.programs))];
  const runs = sumOf(files, (file) => file.runs);
  const count = `${countOf(runs, "run")} in ${countOf(files.length, "file")}`;
  return `Measured with ${joinWords(programs)} (${count}) and imported`;
}

/** Says which trials of a cell did not run to their end: `failed`, `2 of 5 failed`; empty when all did. */
export function describeState({ steps }: Cell): string {
  return (["failed", "aborted"] as const)
    .flatMap((state) => {
      const count = steps.filter((step) => step.state === state).length;
      return count === 0 ? [] : [steps.length === 1 ? state : `${count} of ${steps.length} ${state}`];
    })
    .join(", ");
}

/** Says why a step did not run to its end; the message is as it came. */
export function describeStepError({ state, error }: StepResult): string {
  return error === undefined ? state : `${state} with ${error.code}: ${error.message}`;
}

/** Returns what came of a step in one line of plain text: `balanced, 50 connections: 9,120 requests/s, p50 5.12 ms, ...`. */
export function renderStepLine(step: StepResult): string {
  return plainLine(`${step.target}, ${describeLoad(step.level)}: ${describeStepOutcome(step)}`);
}

function describeStepOutcome(step: StepResult): string {
  const { measurement, state } = step;
  if (measurement === undefined) return describeStepError(step);
  const { latency, requests, throughput, hold } = measurement;
  const latencies = (["p50", "p99"] as const).flatMap((key) => {
    const ms = latency?.[key];
    return ms === undefined ? [] : [`${key} ${formatTime(ms)} ms`];
  });
  const failed = `${formatCount(failedRequests(requests))} failed`;
  const error = state === "completed" ? [] : [describeStepError(step)];
  const held = hold === undefined ? [] : [`${formatCount(hold.alive)} held`];
  return [...held, `${formatRate(throughput)} requests/s`, ...latencies, failed, ...error].join(", ");
}
