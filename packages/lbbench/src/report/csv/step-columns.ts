import { LATENCY_KEYS } from "../../stats/latency-keys.js";
import { errorShare } from "../../judge/error-share.js";
import type { Measurement, MixedShare, Phases, PhaseSummary, RequestCounts } from "../../model/measurement.js";
import type { StepResult } from "../../model/result.js";
import type { Role, Usage } from "../../model/usage.js";
import { knownMs } from "../known-digits.js";
import { cpuOf, loopOf, memoryOf, ROLES } from "../role-usage.js";
import type { CellValue, Column } from "./column.js";
import { known } from "./known-figures.js";
import { PLACE_COLUMNS } from "./place-columns.js";

const COUNTS: readonly (readonly [name: string, key: keyof RequestCounts])[] = [
  ["sent", "sent"],
  ["ok", "ok"],
  ["non2xx", "non2xx"],
  ["mismatched", "mismatched"],
  ["connect_errors", "connectErrors"],
  ["resets", "resets"],
  ["dropped", "dropped"],
  ["timed_out", "timedOut"],
  ["in_flight", "inFlight"],
  ["unclassified", "unclassified"],
];

const PHASES: readonly (keyof Phases)[] = ["connect", "processing", "waiting", "total"];
const PHASE_FIGURES: readonly (keyof PhaseSummary)[] = ["min", "mean", "stddev", "median", "max"];
const ROLE_NAMES: readonly Role[] = ROLES.map(({ role }) => role);

/** The columns of `steps.csv`, as docs/formats.md describes them. */
export const STEP_COLUMNS: readonly Column<StepResult>[] = [
  ...PLACE_COLUMNS,
  ...known<StepResult>([
    { name: "engine", of: ({ engine }) => engine },
    { name: "state", of: ({ state }) => state },
    { name: "error_code", of: ({ error }) => error?.code },
    { name: "error_message", of: ({ error }) => error?.message },
    { name: "findings", of: ({ findings }) => [...new Set(findings.map(({ code }) => code))].join(" ") },
    measured("started_at", ({ startedAt }) => startedAt),
    measured("elapsed_ms", ({ elapsedMs }) => elapsedMs),
    measured("connections_asked", ({ connections }) => connections.asked),
    measured("connections_opened", ({ connections }) => connections.opened),
    measured("connections_established", ({ connections }) => connections.established),
    ...COUNTS.map(([name, key]) => measured(name, ({ requests }) => requests[key])),
    measured("failed_share", ({ requests }) => errorShare(requests)),
    measured("throughput_per_s", ({ throughput }) => throughput),
    measured("received_bytes", ({ bytes }) => bytes.received),
    measured("body_bytes", ({ bytes }) => bytes.body),
    measured("sent_bytes", ({ bytes }) => bytes.sent),
    ...LATENCY_KEYS.map((key) => measured(`latency_${key}_ms`, ({ latency }) => latency?.[key])),
    ...LATENCY_KEYS.map((key) => measured(`failed_latency_${key}_ms`, ({ failedLatency }) => failedLatency?.[key])),
    ...PHASES.flatMap((phase) =>
      PHASE_FIGURES.map((figure) => measured(`${phase}_${figure}_ms`, ({ phases }) => phases?.[phase][figure])),
    ),
    measured("scheduled_requests", ({ schedule }) => schedule?.planned),
    measured("unsent_requests", ({ schedule }) => schedule?.unsent),
    measured("lateness_mean_ms", ({ schedule }) => schedule?.lateness.mean),
    measured("lateness_p99_ms", ({ schedule }) => schedule?.lateness.p99),
    measured("lateness_max_ms", ({ schedule }) => schedule?.lateness.max),
    measured("status_codes", ({ statusCodes }) => writeObject(statusCodes)),
    measured("error_codes", ({ errorCodes }) => writeObject(errorCodes)),
    measured("backends", ({ backends }) => writeObject(backends)),
    measured("mix", ({ mix }) => (mix === undefined ? null : writeMix(mix))),
    measured("program", ({ program }) =>
      program === undefined ? null : `${program.name} ${program.version ?? ""}`.trim(),
    ),
    ...ROLE_NAMES.map((role) => used(`${role}_cpu_cores`, (usage) => cpuOf(usage, role))),
    ...ROLE_NAMES.map((role) => used(`${role}_memory_bytes`, (usage) => memoryOf(usage, role))),
    ...ROLE_NAMES.map((role) => used(`${role}_event_loop_share`, (usage) => loopOf(usage, role))),
    { name: "machine_busy_share", of: ({ usage }) => usage?.machine },
    { name: "machine_steal_share", of: ({ usage }) => usage?.steal },
    { name: "bottleneck", of: ({ usage }) => usage?.bottleneck },
    { name: "time_wait_before", of: ({ pressure }) => pressure?.timeWait?.before },
    { name: "time_wait_most", of: ({ pressure }) => pressure?.timeWait?.most },
    { name: "sockets_most", of: ({ pressure }) => pressure?.socketsMost },
  ]),
];

/** A column that is empty where nothing was measured. */
function measured(name: string, of: (measurement: Measurement) => CellValue): Column<StepResult> {
  return { name, of: ({ measurement }) => (measurement === undefined ? null : of(measurement)) };
}

/** A column that is empty where usage was not sampled. */
function used(name: string, of: (usage: Usage) => CellValue): Column<StepResult> {
  return { name, of: ({ usage }) => (usage === undefined ? null : of(usage)) };
}

/** An object with keys that nobody can know beforehand is one cell, as JSON; empty where there is nothing in it. */
function writeObject(object: Readonly<Record<string, unknown>> | undefined): string | null {
  return object === undefined || Object.keys(object).length === 0 ? null : JSON.stringify(object);
}

/** The figures of a mix are counts, and latencies in ms. */
function writeMix(mix: readonly MixedShare[]): string {
  return JSON.stringify(mix, (_, value: unknown) => (typeof value === "number" ? knownMs(value) : value));
}
