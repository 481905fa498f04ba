import type { Finding } from "../model/finding.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * `FIGURE_DOUBTFUL` {program, figure: throughput, latency or errors, because} for every figure of a program's output of which it is
 * known that the program tells something else than it seems; `because` is a `DoubtReason`.
 */
export function findDoubtfulFigures({ measurement }: UnjudgedStep): readonly Finding[] {
  const program = measurement?.program?.name ?? "unknown";
  return (measurement?.doubts ?? []).map(({ figure, because }) => ({
    code: "FIGURE_DOUBTFUL",
    severity: "warning",
    args: { program, figure, because },
  }));
}
