import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { elapsedBetweenMs } from "../iso-time.js";
import type { Family } from "./family.js";

const STATUSES: readonly Result["verdict"]["status"][] = ["pass", "fail", "inconclusive"];
const EPOCH = "1970-01-01T00:00:00.000Z";

/** Returns the families about a run as a whole. */
export function runFamilies({ tool, scenario, startedAt, complete, verdict }: Result): readonly Family[] {
  const startedMs = elapsedBetweenMs(EPOCH, startedAt);
  const findings = groupBy(verdict.findings, ({ code, severity }) => JSON.stringify([code, severity]));
  return [
    {
      name: "lbbench_run",
      type: "gauge",
      help: "Always 1; its labels say what was run, and by what.",
      labels: ["name", "tool", "version"],
      samples: [{ labels: { name: scenario.name, tool: tool.name, version: tool.version }, value: 1 }],
    },
    {
      name: "lbbench_run_start_time_seconds",
      type: "gauge",
      help: "When the run was started, in seconds since 1970.",
      labels: [],
      samples: startedMs === null ? [] : [{ labels: {}, value: startedMs / 1000 }],
    },
    {
      name: "lbbench_run_complete",
      type: "gauge",
      help: "1 if every planned step was executed, else 0.",
      labels: [],
      samples: [{ labels: {}, value: complete ? 1 : 0 }],
    },
    {
      name: "lbbench_verdict",
      type: "gauge",
      help: "1 for the verdict of the run, 0 for the others.",
      labels: ["status"],
      samples: STATUSES.map((status) => ({ labels: { status }, value: verdict.status === status ? 1 : 0 })),
    },
    {
      name: "lbbench_findings",
      type: "gauge",
      help: "Findings of the verdict by code and severity.",
      labels: ["code", "severity"],
      samples: [...findings.values()].flatMap((group) =>
        group.slice(0, 1).map(({ code, severity }) => ({ labels: { code, severity }, value: group.length })),
      ),
    },
  ];
}
