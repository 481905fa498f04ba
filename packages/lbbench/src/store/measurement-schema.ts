import * as z from "zod";
import type { DoubtReason } from "../model/measurement.js";

const latency = z.looseObject({
  min: z.number().exactOptional(),
  mean: z.number().exactOptional(),
  stddev: z.number().exactOptional(),
  p50: z.number().exactOptional(),
  p66: z.number().exactOptional(),
  p75: z.number().exactOptional(),
  p80: z.number().exactOptional(),
  p90: z.number().exactOptional(),
  p95: z.number().exactOptional(),
  p98: z.number().exactOptional(),
  p99: z.number().exactOptional(),
  p999: z.number().exactOptional(),
  max: z.number().exactOptional(),
});

const timelineSecond = z.looseObject({
  second: z.number(),
  sent: z.number(),
  ok: z.number(),
  failed: z.number(),
  failures: z
    .partialRecord(z.enum(["non2xx", "mismatched", "connectErrors", "resets", "dropped", "timedOut"]), z.number())
    .exactOptional(),
  p50: z.number().nullable(),
  p90: z.number().nullable().exactOptional(),
  p99: z.number().nullable(),
  max: z.number().nullable().exactOptional(),
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
  connections: z.looseObject({
    asked: z.number(),
    opened: z.number().exactOptional(),
    established: z.number().exactOptional(),
  }),
  requests: z.looseObject({
    sent: z.number(),
    ok: z.number(),
    non2xx: z.number(),
    mismatched: z.number().exactOptional(),
    connectErrors: z.number().exactOptional(),
    resets: z.number().exactOptional(),
    dropped: z.number().exactOptional(),
    timedOut: z.number().exactOptional(),
    inFlight: z.number().exactOptional(),
    unclassified: z.number().exactOptional(),
  }),
  statusCodes: z.record(z.string(), z.number()),
  errorCodes: z.record(z.string(), z.number()),
  throughput: z.number(),
  bytes: z.looseObject({
    received: z.number().exactOptional(),
    body: z.number().exactOptional(),
    sent: z.number().exactOptional(),
  }),
  latency: latency.exactOptional(),
  failedLatency: latency.exactOptional(),
  histogram: z.string().exactOptional(),
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
  mix: z
    .array(
      z.looseObject({
        name: z.string(),
        sent: z.number(),
        ok: z.number(),
        failed: z.number(),
        latency: latency.exactOptional(),
      }),
    )
    .exactOptional(),
  program: z
    .looseObject({
      name: z.string(),
      version: z.string().nullable(),
      command: z.array(z.string()).nullable(),
      output: z.string(),
    })
    .exactOptional(),
  doubts: z
    .array(
      z.looseObject({
        figure: z.enum(["throughput", "latency", "errors"]),
        // A later release may know more of them.
        because: z.custom<DoubtReason>((value) => typeof value === "string", "expected a reason"),
      }),
    )
    .exactOptional(),
  backends: z.record(z.string(), backendShare).exactOptional(),
  turns: z
    .looseObject({
      of: z.enum(["requests", "connections"]),
      picked: z.number(),
      inTurn: z.number(),
      first: z.array(z.string()),
      byBackend: z.record(z.string(), z.number()),
    })
    .exactOptional(),
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
  found: z.literal(true).exactOptional(),
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
  bottleneck: z.enum(["generator", "balancer", "backend", "machine", "none", "unknown"]),
});

const figureOrNull = z.number().nullable();

/** What the stored network settings of a machine must have. */
export const networkSchema = z.looseObject({
  ephemeralPorts: figureOrNull,
  tcpTwReuse: figureOrNull,
  tcpTwReuseDelayMs: figureOrNull,
  tcpTimestamps: z.boolean().nullable(),
  somaxconn: figureOrNull,
  tcpMaxSynBacklog: figureOrNull,
});

/** What the stored pressure of a step must have. */
export const pressureSchema = z.looseObject({
  ports: figureOrNull,
  portsNeeded: figureOrNull,
  timeWait: z.looseObject({ before: z.number(), most: z.number() }).nullable(),
  socketsMost: figureOrNull,
  portsTaken: z
    .array(z.looseObject({ process: z.enum(["generator", "balancer"]), destination: z.string(), taken: z.number() }))
    .exactOptional(),
  descriptors: z.array(
    z.looseObject({
      name: z.string(),
      role: z.enum(["generator", "balancer", "backend"]),
      most: z.number(),
      limit: figureOrNull,
    }),
  ),
});
