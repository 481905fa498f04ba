import { errorShare } from "../../judge/error-share.js";
import type { RequestCounts } from "../../model/measurement.js";
import { measured, type StepFamily } from "./step-family.js";

const OUTCOMES: readonly (readonly [outcome: string, key: Exclude<keyof RequestCounts, "sent">])[] = [
  ["ok", "ok"],
  ["non2xx", "non2xx"],
  ["mismatched", "mismatched"],
  ["connect_error", "connectErrors"],
  ["reset", "resets"],
  ["dropped", "dropped"],
  ["timed_out", "timedOut"],
  ["in_flight", "inFlight"],
  ["unclassified", "unclassified"],
];

/** What became of requests, and how fast. */
export const REQUEST_FAMILIES: readonly StepFamily[] = [
  {
    name: "lbbench_elapsed_seconds",
    type: "gauge",
    help: "From the first request sent to the last answer, or to the end of the time.",
    of: measured(({ elapsedMs }) => [[{}, elapsedMs / 1000]]),
  },
  {
    name: "lbbench_requests",
    type: "counter",
    help: "Requests sent, by what became of them.",
    labels: ["outcome"],
    of: measured(({ requests }) => OUTCOMES.map(([outcome, key]) => [{ outcome }, requests[key]])),
  },
  {
    name: "lbbench_answers",
    type: "counter",
    help: "Answers by status.",
    labels: ["status"],
    of: measured(({ statusCodes }) => Object.entries(statusCodes).map(([status, count]) => [{ status }, count])),
  },
  {
    name: "lbbench_errors",
    type: "counter",
    help: "Errors of the operating system or the parser, by code.",
    labels: ["code"],
    of: measured(({ errorCodes }) => Object.entries(errorCodes).map(([code, count]) => [{ code }, count])),
  },
  {
    name: "lbbench_failed_ratio",
    type: "gauge",
    help: "Part of the requests that came to an end and failed, 0 to 1.",
    of: measured(({ requests }) => [[{}, errorShare(requests)]]),
  },
  {
    name: "lbbench_throughput_per_second",
    type: "gauge",
    help: "Good answers per second.",
    of: measured(({ throughput }) => [[{}, throughput]]),
  },
  {
    name: "lbbench_transferred_bytes",
    type: "counter",
    help: "Bytes read from the sockets (received), those of bodies among them (body), and bytes written (sent).",
    labels: ["direction"],
    of: measured(({ bytes }) =>
      (["received", "body", "sent"] as const).map((direction) => [{ direction }, bytes[direction]]),
    ),
  },
  {
    name: "lbbench_connections",
    type: "gauge",
    help: "Connections asked for, those of them that were ever established, and all that were established.",
    labels: ["kind"],
    of: measured(({ connections }) =>
      (["asked", "opened", "established"] as const).map((kind) => [{ kind }, connections[kind]]),
    ),
  },
];
