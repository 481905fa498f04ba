import type { HeaderLine, RequestSpec } from "../model/scenario.js";
import { groupBy } from "../stats/group-by.js";
import { isSameData } from "./compare-data.js";
import { differ } from "./compare-difference.js";
import type { Difference } from "./compare-difference.js";

/** Headers that say who asks, not for what; they often change from run to run. */
const CREDENTIALS = new Set(["authorization", "cookie", "proxy-authorization"]);

/**
 * Returns in what two requests differ; never values that might be secret. The path is not looked at, because a target that is
 * a URL has its own.
 */
export function compareRequests(a: RequestSpec, b: RequestSpec): readonly Difference[] {
  const hidden = (what: string, isSame: boolean): readonly Difference[] =>
    isSame ? [] : [{ code: "OTHER_REQUEST", effect: "prevents", what }];
  return [
    ...differ("OTHER_REQUEST", "prevents", "method", a.method, b.method),
    ...compareHeaders(a.headers, b.headers),
    ...hidden("body", a.body === b.body && (a.body === null || a.bodyEncoding === b.bodyEncoding)),
    ...differ("OTHER_REQUEST", "prevents", "expectStatus", a.expectStatus, b.expectStatus),
    ...hidden("expectBody", a.expectBody === b.expectBody),
  ];
}

function compareHeaders(a: readonly HeaderLine[], b: readonly HeaderLine[]): readonly Difference[] {
  const [left, right] = [a, b].map((lines) => groupBy(lines, ([name]) => name.toLowerCase()));
  const names = new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])]);
  const values = (lines: readonly HeaderLine[] | undefined): readonly string[] =>
    (lines ?? []).map(([, value]) => value);
  return [...names]
    .filter((name) => !isSameData(values(left?.get(name)), values(right?.get(name))))
    .map((name) => ({
      code: "OTHER_REQUEST",
      effect: CREDENTIALS.has(name) && left?.has(name) && right?.has(name) ? "note" : "prevents",
      what: `header ${name}`,
    }));
}

/** Returns in what two paths differ; their queries may hold secrets. */
export function comparePaths(a: string, b: string): readonly Difference[] {
  const [[left = "", ...queryA], [right = "", ...queryB]] = [a.split("?"), b.split("?")];
  const isSameQuery = queryA.join("?") === queryB.join("?");
  return [
    ...differ("OTHER_REQUEST", "prevents", "path", left, right),
    ...(isSameQuery ? [] : [{ code: "OTHER_REQUEST", effect: "prevents", what: "query" } as const]),
  ];
}
