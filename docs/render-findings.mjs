/** Renders the table of findings as the sections of `docs/findings.md`. */
import { FINDINGS } from "../packages/lbbench/dist/judge/findings.js";

const FIGURES = ["throughput", "latency", "errors"];

export function renderFindings() {
  return Object.entries(FINDINGS)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, row]) => {
      const told = `${row.title} (${row.severity}). ${row.rule}${describeBounds(row)}`;
      // What a run shows has no cause to look for.
      if (row.tellsPlace && row.severity === "info") return `## ${code}\n\n${told}\n`;
      return `## ${code}\n\n${told}\n\nCause: ${markFlags(row.cause)}\n\nRemedy: ${markFlags(typeof row.remedy === "string" ? row.remedy : row.remedy({}))}\n`;
    })
    .join("\n");
}

function describeBounds({ of, bounds }) {
  if (of === "failures") return " Latency is [doubtful](#failures).";
  if (of === "limit") return " An error makes every figure doubtful.";
  if (bounds === undefined) return "";
  const usual = typeof bounds === "function" ? bounds({}) : bounds;
  if ("" in usual) return " Makes the `figure` that it names doubtful.";
  if (usual.throughput === "least") return " Bounds throughput and latency [in one direction](#directions).";
  if (usual.throughput === "chance") return " Makes throughput and latency doubtful for a threshold.";
  const names = FIGURES.filter((figure) => figure in usual);
  return ` Makes ${names.length === FIGURES.length ? "every figure" : names.join(" and ")} doubtful.`;
}

/** Flags and commands as code. */
function markFlags(text) {
  return text
    .replaceAll(/(?<![\w`-])(?:--[\w-]+(?: (?:\d\w*|wire))?|-r)(?![\w-])/g, "`$&`")
    .replaceAll(/\blbbench (?:sweep|max)\b|\bulimit -n \d+|sysctl -w [^)]+/g, "`$&`");
}
