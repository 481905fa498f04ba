import { z } from "zod";

const latency = z.looseObject({
  min: z.number(),
  mean: z.number(),
  stddev: z.number(),
  p50: z.number(),
  p66: z.number(),
  p75: z.number(),
  p80: z.number(),
  p90: z.number(),
  p95: z.number(),
  p98: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
});

const timelineSecond = z.looseObject({
  second: z.number(),
  sent: z.number(),
  ok: z.number(),
  failed: z.number(),
  p50: z.number().nullable(),
  p99: z.number().nullable(),
  users: z.number().exactOptional(),
});

const phase = z.looseObject({
  min: z.number(),
  mean: z.number(),
  stddev: z.number(),
  median: z.number(),
  max: z.number(),
});

const backendShare = z.looseObject({ requests: z.number(), errors: z.number().exactOptional() });

/** What a stored measurement must have. */
export const measurementSchema = z.looseObject({
  startedAt: z.string(),
  elapsedMs: z.number(),
  connections: z.looseObject({ asked: z.number(), opened: z.number(), established: z.number() }),
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
  latency: latency.exactOptional(),
  failedLatency: latency.exactOptional(),
  histogram: z.string(),
  timeline: z.array(timelineSecond),
  phases: z.looseObject({ connect: phase, processing: phase, waiting: phase, total: phase }).exactOptional(),
  schedule: z
    .looseObject({
      rate: z.number(),
      planned: z.number(),
      unsent: z.number(),
      lateness: z.looseObject({ mean: z.number(), p99: z.number(), max: z.number() }),
    })
    .exactOptional(),
  backends: z.record(z.string(), backendShare).exactOptional(),
});

const ownFigures = {
  name: z.string(),
  pid: z.number(),
  cpu: z.number(),
  rssBytes: z.number(),
  eventLoopUtilization: z.number().exactOptional(),
  cores: z.number().exactOptional(),
};

const processUsage = z.looseObject({
  ...ownFigures,
  threads: z.number().exactOptional(),
  busiestThread: z.number().exactOptional(),
  descendants: z.array(z.looseObject(ownFigures)).exactOptional(),
});

/** What the stored usage of a step must have. */
export const usageSchema = z.looseObject({
  generator: z.array(processUsage),
  balancer: z.array(processUsage).exactOptional(),
  backends: z.array(processUsage).exactOptional(),
  machine: z.number(),
  steal: z.number().exactOptional(),
  windowMs: z.number(),
  bottleneck: z.enum(["generator", "balancer", "backend", "machine", "none"]),
});
