/**
 * Says why a load did not hold, from what a search keeps of it: `requests piled up`, `requests failed`, `p99<50ms was
 * missed`.
 */
export function describeMiss(because: string): string {
  if (because === "backlog") return "requests piled up";
  if (because === "TARGET_DIED") return "the target died";
  if (/^errors\s*<=?\s*0\s*%?$/.test(because)) return "requests failed";
  return because.startsWith("errors") ? `too many requests failed (${because})` : `${because} was missed`;
}
