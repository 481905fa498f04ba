import * as z from "zod";
import type { FindingCode } from "./finding.js";
import type { DoubtReason } from "./measurement.js";
import type { Result } from "./result.js";
import type { ThresholdMetric } from "./threshold.js";

const number = z.number();
const text = z.string();
const numberOrNull = z.number().nullable();
const plainOptions = z.record(z.string(), z.unknown());

/** Fields that are numbers. */
function numbers<Name extends string>(...names: readonly Name[]): Record<Name, typeof number> {
  return Object.fromEntries(names.map((name) => [name, number])) as Record<Name, typeof number>;
}

/** Fields that are numbers where they are there. */
function optional<Name extends string>(...names: readonly Name[]): Record<Name, z.ZodExactOptional<typeof number>> {
  const fields = names.map((name) => [name, number.exactOptional()]);
  return Object.fromEntries(fields) as Record<Name, z.ZodExactOptional<typeof number>>;
}

/** A text, of which a later release may know more than this one. */
function word<Word extends string>(expected: string) {
  return z.custom<Word>((value) => typeof value === "string", expected);
}

const level = z.looseObject(optional("connections", "rate", "users", "requests", "durationMs"));

const request = z.looseObject({
  method: text,
  path: text,
  headers: z.array(z.tuple([text, text])),
  body: text.nullable(),
  bodyEncoding: z.enum(["utf8", "base64"]),
  expectStatus: text,
  expectBody: text.nullable(),
});

const threshold = z.looseObject({
  source: text,
  metric: word<ThresholdMetric>("expected the name of a metric"),
  operator: z.enum(["<", "<=", ">", ">="]),
  value: number,
});

/** What a stored scenario must have. Of fields that files of 0.1.0 have not, the default is what those did. */
export const scenarioSchema = z.looseObject({
  name: text,
  targets: z.array(
    z.looseObject({
      name: text,
      server: text,
      options: plainOptions,
      engine: z.looseObject({ name: text, options: plainOptions }).exactOptional(),
      references: z.array(text).exactOptional(),
    }),
  ),
  reference: text.nullable(),
  // Here and below `null` is what imported output does not tell.
  request: request.nullable(),
  mix: z
    .array(z.looseObject({ name: text, weight: number, request, bodies: z.array(text).nullable() }))
    .nullable()
    .default(null),
  httpVersion: z.enum(["1.1", "2"]).nullable().default("1.1"),
  levels: z.array(level),
  trials: number,
  warmupMs: z.union([number, z.literal("auto")]).nullable(),
  timeoutMs: numberOrNull,
  restart: z.enum(["trial", "step"]).exactOptional(),
  keepAlive: z.boolean().nullable(),
  arrival: z
    .looseObject({ spacing: z.enum(["uniform", "poisson"]), ...numbers("seed", "maxInFlight") })
    .nullable()
    .default(null),
  ramp: z
    .looseObject({ ...numbers("from", "riseMs"), steps: numberOrNull })
    .nullable()
    .default(null),
  engine: z.looseObject({
    name: text,
    generators: z.union([number, z.literal("auto")]).nullable(),
    options: plainOptions.default({}),
  }),
  thresholds: z.array(threshold),
  margin: numberOrNull.default(null),
  errorMargin: number.default(0.001),
  stopOn: z.array(threshold).default([]),
  order: z.enum(["interleaved", "random"]).nullable().default("interleaved"),
  seed: numberOrNull.default(1),
  search: z
    .looseObject({
      by: z.enum(["connections", "rate"]),
      ...numbers("start", "growth", "most", "resolution", "needed"),
      beyond: numberOrNull,
    })
    .nullable()
    .default(null),
});

const latency = z
  .looseObject(optional("min", "mean", "stddev", "p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "p999", "max"))
  .exactOptional();

const phase = z.looseObject(numbers("min", "mean", "stddev", "median", "max"));

const timelineSecond = z.looseObject({
  ...numbers("second", "sent", "ok", "failed"),
  failures: z
    .partialRecord(z.enum(["non2xx", "mismatched", "connectErrors", "resets", "dropped", "timedOut"]), number)
    .exactOptional(),
  p50: numberOrNull,
  p90: numberOrNull.exactOptional(),
  p99: numberOrNull,
  max: numberOrNull.exactOptional(),
  ...optional("users"),
});

/** What a measurement must have, stored or as an engine returns it. */
export const measurementSchema = z.looseObject({
  startedAt: text,
  elapsedMs: number,
  connections: z.looseObject({ asked: number, ...optional("opened", "established") }),
  requests: z.looseObject({
    ...numbers("sent", "ok", "non2xx"),
    ...optional("mismatched", "connectErrors", "resets", "dropped", "timedOut", "inFlight", "unclassified"),
  }),
  statusCodes: z.record(text, number),
  errorCodes: z.record(text, number),
  throughput: number,
  bytes: z.looseObject(optional("received", "body", "sent")),
  latency,
  failedLatency: latency,
  histogram: text.exactOptional(),
  timeline: z.array(timelineSecond),
  phases: z.looseObject({ connect: phase, processing: phase, waiting: phase, total: phase }).exactOptional(),
  schedule: z
    .looseObject({ ...numbers("rate", "planned", "unsent"), lateness: z.looseObject(numbers("mean", "p99", "max")) })
    .exactOptional(),
  mix: z.array(z.looseObject({ name: text, ...numbers("sent", "ok", "failed"), latency })).exactOptional(),
  program: z
    .looseObject({ name: text, version: text.nullable(), command: z.array(text).nullable(), output: text })
    .exactOptional(),
  doubts: z
    .array(
      z.looseObject({
        figure: z.enum(["throughput", "latency", "errors", "other"]),
        because: word<DoubtReason>("expected a reason"),
        lines: text.exactOptional(),
      }),
    )
    .exactOptional(),
  backends: z.record(text, z.looseObject({ requests: number, ...optional("errors") })).exactOptional(),
  turns: z
    .looseObject({
      of: z.enum(["requests", "connections"]),
      ...numbers("picked", "inTurn"),
      first: z.array(text),
      byBackend: z.record(text, number),
    })
    .exactOptional(),
});

const ownFigures = { name: text, ...numbers("pid", "cpu", "rssBytes"), ...optional("eventLoopUtilization", "cores") };

const processUsage = z.looseObject({
  ...ownFigures,
  found: z.literal(true).exactOptional(),
  ...optional("busiestThread"),
  descendants: z.array(z.looseObject(ownFigures)).exactOptional(),
});

const usage = z.looseObject({
  generator: z.array(processUsage),
  balancer: z.array(processUsage).exactOptional(),
  backends: z.array(processUsage).exactOptional(),
  ...numbers("machine", "windowMs"),
  ...optional("steal"),
  bottleneck: z.enum(["generator", "balancer", "backend", "machine", "none", "unknown"]),
});

const pressure = z.looseObject({
  ports: numberOrNull,
  portsNeeded: numberOrNull,
  timeWait: z.looseObject(numbers("before", "most")).nullable(),
  socketsMost: numberOrNull,
  portsTaken: z
    .array(z.looseObject({ process: z.enum(["generator", "balancer"]), destination: text, taken: number }))
    .exactOptional(),
  descriptors: z.array(
    z.looseObject({
      name: text,
      role: z.enum(["generator", "balancer", "backend"]),
      most: number,
      limit: numberOrNull,
    }),
  ),
});

const environment = z.looseObject({
  cpuModel: text,
  ...numbers("cores", "memoryBytes"),
  os: text,
  kernel: text,
  node: text,
  fdLimit: numberOrNull,
  portRange: z.tuple([number, number]).nullable(),
  loadAverage: number,
  network: z
    .looseObject({
      ephemeralPorts: numberOrNull,
      tcpTwReuse: numberOrNull,
      tcpTwReuseDelayMs: numberOrNull,
      tcpTimestamps: z.boolean().nullable(),
      somaxconn: numberOrNull,
      tcpMaxSynBacklog: numberOrNull,
    })
    .exactOptional(),
});

const finding = z.looseObject({
  code: word<FindingCode>("expected the code of a finding"),
  severity: z.enum(["info", "warning", "error"]),
  args: z.record(text, z.union([text, number])),
});

const step = z.looseObject({
  target: text,
  level,
  trial: number,
  engine: text,
  state: z.enum(["completed", "failed", "aborted"]),
  error: z.looseObject({ code: text, message: text }).exactOptional(),
  warmup: z.looseObject({ durationMs: number, steady: z.boolean().nullable() }).exactOptional(),
  ...optional("generators"),
  measurement: measurementSchema.exactOptional(),
  usage: usage.exactOptional(),
  pressure: pressure.exactOptional(),
  findings: z.array(finding),
});

const triedLevel = z.looseObject({
  value: number,
  decision: z.enum(["held", "broken", "unclear", "undecided"]),
  ...numbers("held", "broken", "unclear"),
  because: text.exactOptional(),
  doubt: text.exactOptional(),
});

/**
 * What a result.json of version 1 must have for its judgement and its reports to be made; fields that are not known pass
 * unchanged, as later releases may add some.
 */
export const resultSchema: z.ZodType<Result> = z.looseObject({
  version: z.literal(1),
  tool: z.looseObject({ name: text, version: text }),
  startedAt: text,
  finishedAt: text.nullable(),
  resumedAt: z.array(text).exactOptional(),
  complete: z.boolean(),
  command: text.nullable(),
  folder: text.exactOptional(),
  scenario: scenarioSchema,
  imported: z
    .looseObject({
      files: z.array(z.looseObject({ name: text, modifiedAt: text.nullable(), programs: z.array(text), runs: number })),
    })
    .exactOptional(),
  environment: environment.nullable(),
  steps: z.array(step),
  search: z
    .array(
      z.looseObject({
        target: text,
        by: z.enum(["connections", "rate"]),
        status: z.enum(["found", "unbounded", "nothing-held", "unclear", "unfinished"]),
        held: numberOrNull,
        broken: numberOrNull,
        tried: z.array(triedLevel),
        beyond: triedLevel.nullable(),
      }),
    )
    .exactOptional(),
  verdict: z.looseObject({ status: z.enum(["pass", "fail", "inconclusive"]), findings: z.array(finding) }),
});
