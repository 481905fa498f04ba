import type { BackendState, Picker, PolicyRequest } from "../policies/policy.js";
import { exampleRequest } from "../testing/example-pool.js";

/** Picks once for each request, by default the examples 0, 1, 2, ...; returns the numbers in the backends' names. */
export function pickMany(
  picker: Picker,
  backends: readonly BackendState[],
  times: number,
  requestOf: (index: number) => PolicyRequest = exampleRequest,
): string[] {
  return Array.from({ length: times }, (_, index) => {
    const name = picker.pick(backends, requestOf(index))?.name ?? "none";
    return name.replace("backend-", "");
  });
}

/** How often each text is in a list. */
export function countEach(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
