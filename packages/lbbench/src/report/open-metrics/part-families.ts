import { inSeconds, measured, type Figure, type StepFamily } from "./step-family.js";

/** How an open loop kept to its schedule, and what became of the requests of each backend and of each entry of a mix. */
export const PART_FAMILIES: readonly StepFamily[] = [
  {
    name: "lbbench_scheduled_requests",
    type: "counter",
    help: "Requests that an open loop was to send.",
    of: measured(({ schedule }) => [[{}, schedule?.planned]]),
  },
  {
    name: "lbbench_unsent_requests",
    type: "counter",
    help: "Requests that were due in an open loop and could not leave.",
    of: measured(({ schedule }) => [[{}, schedule?.unsent]]),
  },
  {
    name: "lbbench_lateness_seconds",
    type: "gauge",
    help: "From when a request of an open loop was due to when it left.",
    labels: ["statistic"],
    of: measured(({ schedule }) =>
      (["mean", "p99", "max"] as const).map((statistic) => [{ statistic }, inSeconds(schedule?.lateness[statistic])]),
    ),
  },
  {
    name: "lbbench_backend_requests",
    type: "counter",
    help: "Requests by backend, as the balancer or the backends counted them.",
    labels: ["backend"],
    of: measured(({ backends = {} }) =>
      Object.entries(backends).map(([backend, share]) => [{ backend }, share.requests]),
    ),
  },
  {
    name: "lbbench_backend_errors",
    type: "counter",
    help: "Requests that failed on the backend, where that is told.",
    labels: ["backend"],
    of: measured(({ backends = {} }) =>
      Object.entries(backends).map(([backend, share]) => [{ backend }, share.errors]),
    ),
  },
  {
    name: "lbbench_mix_requests",
    type: "counter",
    help: "Requests by entry of a mix, by what became of them.",
    labels: ["entry", "outcome"],
    of: measured(({ mix = [] }) =>
      mix.flatMap(({ name: entry, ok, failed }): readonly Figure[] => [
        [{ entry, outcome: "ok" }, ok],
        [{ entry, outcome: "failed" }, failed],
      ]),
    ),
  },
];
