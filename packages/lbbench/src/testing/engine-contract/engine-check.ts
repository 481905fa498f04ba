import assert from "node:assert/strict";
import { createChildPool } from "../../system/fork.js";
import type { Level } from "../../model/level.js";
import type { Measurement } from "../../model/measurement.js";
import type { HttpVersion, MixedRequest, RequestSpec } from "../../model/scenario.js";
import type { Engine, EngineContext, EngineRun, Load } from "../../plugin.js";
import { startCountingGrpcServer } from "../counting-grpc-server.js";
import { startCountingHttp2Server } from "../counting-http2-server.js";
import { startCountingServer, type Answer, type CountingServer } from "../counting-server.js";
import { speaksHttp } from "./what-it-can.js";

/** A load, how the server answers to it, and what has to come of it. */
export interface EngineCheck {
  /** A sentence about the engine. */
  readonly name: string;
  readonly level: Level;
  /** One by default. */
  readonly generators?: number;
  /** Requests that may be in flight on a schedule. */
  readonly maxInFlight?: number;
  /** `true` by default. */
  readonly keepAlive?: boolean;
  /** The first that the engine can send by default. */
  readonly httpVersion?: HttpVersion;
  /** What it has of its own; a GET of `/` by default. */
  readonly request?: Partial<RequestSpec>;
  readonly mix?: readonly MixedRequest[];
  readonly answer?: (number: number) => Answer;
  readonly context?: (server: CountingServer) => Partial<EngineContext>;
  /** Throws when it is not what it has to be; that every request has one outcome is looked at besides. */
  readonly check: (run: EngineRun, server: CountingServer) => void;
}

/** So long that nothing ends because of it. */
export const LONG_MS = 600_000;
/** Requests that may be in flight on a schedule by default. */
export const MAX_IN_FLIGHT = 30;
/** Until all users of a ramp have come. */
export const RAMP_MS = 1300;

/** What is sent where nothing else is asked for. */
export const REQUEST: RequestSpec = {
  method: "GET",
  path: "/",
  headers: [],
  body: null,
  bodyEncoding: "utf8",
  expectStatus: "2xx",
  expectBody: null,
};

/** Lets the engine send a load to a server of this process. Rejects with what was expected and what came. */
export async function runCheck(engine: Engine, one: EngineCheck): Promise<void> {
  const [first = "1.1"] = engine.supports.httpVersions ?? [];
  const { httpVersion = first } = one;
  const server = await startServer(engine, httpVersion, one.answer);
  const children = createChildPool("generator");
  try {
    const { signal } = new AbortController();
    const context = { signal, children, folder: process.cwd(), ...one.context?.(server) };
    const load = { ...toLoad(engine, one, server.url), ...(httpVersion === "1.1" ? {} : { httpVersion }) };
    await engine.check?.({ ...load, mix: one.mix ?? null, levels: [one.level] }, context);
    const run = await engine.run(load, context);
    expectConservation(run.measurement);
    one.check(run, server);
  } finally {
    await children.close();
    await server.close();
  }
}

/**
 * Rejects with an `AssertionError` unless it is what it has to be. Nothing at all may be said by a program that the engine
 * drives, which is not asked to tell everything.
 */
export function expectTold(
  { program }: Measurement,
  told: number | undefined,
  expected: number | undefined,
  what: string,
): void {
  if (told !== undefined || program === undefined) assert.equal(told, expected, what);
}

function startServer(engine: Engine, httpVersion: HttpVersion, answer: EngineCheck["answer"]): Promise<CountingServer> {
  if (!speaksHttp(engine)) return startCountingGrpcServer(answer);
  return httpVersion === "2" ? startCountingHttp2Server(answer) : startCountingServer(answer);
}

function toLoad(
  engine: Engine,
  { level, request, mix, generators = 1, maxInFlight = MAX_IN_FLIGHT, keepAlive = true }: EngineCheck,
  url: string,
): Load {
  return {
    url,
    level,
    request: { ...REQUEST, ...request },
    ...(mix === undefined ? {} : { mix }),
    timeoutMs: LONG_MS,
    keepAlive,
    ...(level.rate === undefined ? {} : { arrival: { spacing: "uniform", seed: 1, maxInFlight } }),
    ...(level.users === undefined ? {} : { ramp: { from: 2, riseMs: RAMP_MS, steps: 1 } }),
    options: engine.options?.parse({}) ?? {},
    atEnd: "cut",
    generators,
  };
}

function expectConservation({ requests }: Measurement): void {
  const { sent, ...outcomes } = requests;
  const accounted = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  assert.equal(accounted, sent, `outcomes do not add up to the requests sent: ${JSON.stringify(requests)}`);
}
