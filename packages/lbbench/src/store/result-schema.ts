import { z } from "zod";
import type { Result } from "../model/result.js";

const finding = z.looseObject({
  code: z.string(),
  severity: z.enum(["info", "warning", "error"]),
  args: z.record(z.string(), z.union([z.string(), z.number()])),
});

const level = z.looseObject({
  connections: z.number(),
  requests: z.number().optional(),
  durationMs: z.number().optional(),
});

const latency = z.looseObject({ min: z.number(), mean: z.number(), p50: z.number(), p99: z.number(), max: z.number() });

const measurement = z.looseObject({
  startedAt: z.string(),
  elapsedMs: z.number(),
  connections: z.looseObject({ asked: z.number(), opened: z.number() }),
  requests: z.looseObject({
    sent: z.number(),
    ok: z.number(),
    non2xx: z.number(),
    mismatched: z.number(),
    connectErrors: z.number(),
    resets: z.number(),
    dropped: z.number(),
    timedOut: z.number(),
    inFlight: z.number(),
  }),
  statusCodes: z.record(z.string(), z.number()),
  errorCodes: z.record(z.string(), z.number()),
  throughput: z.number(),
  bytes: z.looseObject({ received: z.number(), body: z.number(), sent: z.number() }),
  latency: latency.optional(),
  failedLatency: latency.optional(),
  histogram: z.string(),
  timeline: z.array(z.looseObject({ second: z.number() })),
});

const step = z.looseObject({
  target: z.string(),
  level,
  trial: z.number(),
  engine: z.string(),
  state: z.enum(["completed", "failed", "aborted"]),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  measurement: measurement.optional(),
  usage: z.looseObject({ generator: z.array(z.unknown()), bottleneck: z.string() }).optional(),
  findings: z.array(finding),
});

const scenario = z.looseObject({
  name: z.string(),
  targets: z.array(z.looseObject({ name: z.string(), server: z.string() })),
  reference: z.string().nullable(),
  request: z.looseObject({ method: z.string() }),
  levels: z.array(level),
  trials: z.number(),
  warmupMs: z.number(),
  timeoutMs: z.number(),
  keepAlive: z.boolean(),
  engine: z.looseObject({ name: z.string() }),
  thresholds: z.array(z.looseObject({ source: z.string() })),
});

/**
 * What a result.json of version 1 must have for its judgement and its reports to be made; fields that are not known pass
 * unchanged, as later releases may add some.
 */
export const resultSchema = z.looseObject({
  version: z.literal(1, "expected version 1; a later version of result.json needs a later release of lbbench"),
  tool: z.looseObject({ name: z.string(), version: z.string() }),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  complete: z.boolean(),
  command: z.string().nullable(),
  scenario,
  environment: z.looseObject({ cores: z.number(), node: z.string() }),
  steps: z.array(step),
  verdict: z.looseObject({ status: z.enum(["pass", "fail", "inconclusive"]), findings: z.array(finding) }),
}) as unknown as z.ZodType<Result>;
