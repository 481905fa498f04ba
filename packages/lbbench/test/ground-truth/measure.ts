import type { Level } from "../../src/model/level.js";
import type { CompleteEngine, CompleteRun } from "../../src/engines/generators.js";
import type { RequestSpec } from "../../src/model/scenario.js";
import type { EngineContext, Load } from "../../src/plugin.js";
import { aRequest } from "../../src/test-support/fixtures.js";
import { aLoad as anyLoad } from "../../src/test-support/load.js";
import { inProcessChildren } from "./in-process-children.js";
import type { ServerLog, TruthServer } from "../../src/testing/ground-truth/server-log.js";

/** How a load differs from the ordinary one: GET, any body, an expected status of 2xx, 10 s timeout, one generator, cut at its end. */
export type LoadOptions = Partial<Omit<Load, "url" | "level" | "request">> & {
  readonly request?: Partial<RequestSpec>;
};

/** Builds what an engine is asked to do. */
export function aLoad(url: string, level: Level, { request, ...options }: LoadOptions = {}): Load {
  const arrival = { spacing: "uniform", seed: 1, maxInFlight: 1000 } as const;
  const usual = { url, timeoutMs: 10_000, ...(level.rate !== undefined && { arrival }) };
  return anyLoad(level, { ...usual, ...options, request: aRequest(request) });
}

/** What sends the load, and how it is made to speak a protocol. */
export interface Sender {
  readonly engine: CompleteEngine;
  /** What makes it speak the protocol. */
  readonly load: LoadOptions;
}

/** Lets an engine send a load to a URL; nothing aborts it, and its processes end with it, unless the context says otherwise. */
export async function send(
  { engine, load }: Sender,
  url: string,
  level: Level,
  options: LoadOptions = {},
  context: Partial<EngineContext> = {},
): Promise<CompleteRun> {
  const children = inProcessChildren();
  const { signal } = new AbortController();
  const asked = { ...load, ...options, options: { ...load.options, ...options.options } };
  try {
    return await engine.run(aLoad(url, level, asked), { children, signal, folder: process.cwd(), ...context });
  } finally {
    await children.close();
  }
}

/** What came of a load, by the engine's account and by the server's. */
export interface Measured<Log> extends CompleteRun {
  readonly log: Log;
}

/** Lets an engine send a load to a server, until no connection is open any more; then closes the server. */
export async function measure<Log extends ServerLog>(
  sender: Sender,
  starting: TruthServer<Log> | Promise<TruthServer<Log>>,
  level: Level,
  options: LoadOptions = {},
  context: Partial<EngineContext> = {},
): Promise<Measured<Log>> {
  const server = await starting;
  try {
    const run = await send(sender, server.url, level, options, context);
    await server.drained();
    return { ...run, log: server.log };
  } finally {
    await server.close();
  }
}
