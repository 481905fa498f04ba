import type { Level } from "../../src/model/level.js";
import type { RequestSpec } from "../../src/model/scenario.js";
import type { EngineContext, Load } from "../../src/plugin.js";
import type { ChildPool } from "../../src/child/pool.js";
import { aRequest } from "../../src/test-support/fixtures.js";

/** How a load differs from the ordinary one: GET, any body, an expected status of 2xx, 10 s timeout, one generator. */
export type LoadOptions = Partial<Omit<Load, "url" | "level" | "request">> & {
  readonly request?: Partial<RequestSpec>;
};

/** Builds what an engine is asked to do. */
export function aLoad(url: string, level: Level, options: LoadOptions = {}): Load {
  const { request, ...rest } = options;
  return {
    url,
    level,
    timeoutMs: 10_000,
    keepAlive: true,
    options: {},
    atEnd: "cut",
    generators: 1,
    ...rest,
    request: aRequest(request),
  };
}

/** Builds what an engine gets beside its load; nothing aborts it unless a signal is given. */
export function aContext(children: ChildPool, overrides: Partial<EngineContext> = {}): EngineContext {
  return { children, folder: process.cwd(), signal: new AbortController().signal, ...overrides };
}
