import { formatCounts } from "./format-counts.js";

/** Names numbers of requests that a finding of a matrix lists (`100, 1000`): `100 / 1,000 requests`. */
export function describeRequests(counts: string): string {
  return `${formatCounts(counts, " / ")} ${counts === "1" ? "request" : "requests"}`;
}
