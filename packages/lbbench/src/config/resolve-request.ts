import type { HeaderLine, RequestSpec } from "../model/scenario.js";
import { DEFAULTS } from "./defaults.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/** What is said of a request. */
export type GivenRequest = NonNullable<ParsedSweepInput["request"]>;

/** Fills in every default of a request. Files that it names must have been read (`readRequestFiles`). */
export function resolveRequest(given: GivenRequest): RequestSpec {
  if (given.bodyFile !== undefined) throw new Error(`The file of a body was not read: ${given.bodyFile}`);
  const headers = Object.entries(given.headers ?? {}).flatMap(([name, values]): readonly HeaderLine[] =>
    typeof values === "string" ? [[name, values]] : values.map((value) => [name, value]),
  );
  return {
    method: given.method ?? DEFAULTS.request.method,
    path: given.path ?? DEFAULTS.request.path,
    headers,
    body: given.body ?? null,
    bodyEncoding: given.bodyEncoding ?? "utf8",
    expectStatus: given.expectStatus ?? DEFAULTS.request.expectStatus,
    expectBody: given.expectBody ?? null,
  };
}
