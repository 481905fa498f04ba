import * as z from "zod";
import type { ThresholdMetric } from "../model/threshold.js";

/** What a stored level must have. */
export const levelSchema = z.looseObject({
  connections: z.number().exactOptional(),
  rate: z.number().exactOptional(),
  users: z.number().exactOptional(),
  requests: z.number().exactOptional(),
  durationMs: z.number().exactOptional(),
});

const request = z.looseObject({
  method: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string().nullable(),
  bodyEncoding: z.enum(["utf8", "base64"]),
  expectStatus: z.string(),
  expectBody: z.string().nullable(),
});

const mixed = z.looseObject({
  name: z.string(),
  weight: z.number(),
  request,
  bodies: z.array(z.string()).nullable(),
});

const threshold = z.looseObject({
  source: z.string(),
  metric: z.custom<ThresholdMetric>((value) => typeof value === "string", "expected the name of a metric"),
  operator: z.enum(["<", "<=", ">", ">="]),
  value: z.number(),
});

/** What a stored scenario must have. */
export const scenarioSchema = z.looseObject({
  name: z.string(),
  targets: z.array(
    z.looseObject({
      name: z.string(),
      server: z.string(),
      options: z.record(z.string(), z.unknown()),
      engine: z.looseObject({ name: z.string(), options: z.record(z.string(), z.unknown()) }).exactOptional(),
      references: z.array(z.string()).exactOptional(),
    }),
  ),
  reference: z.string().nullable(),
  // Here and below `null` is what imported output does not tell.
  request: request.nullable(),
  // Files of 0.1.0 have neither.
  mix: z.array(mixed).nullable().default(null),
  httpVersion: z.enum(["1.1", "2"]).nullable().default("1.1"),
  levels: z.array(levelSchema),
  trials: z.number(),
  warmupMs: z.union([z.number(), z.literal("auto")]).nullable(),
  timeoutMs: z.number().nullable(),
  restart: z.enum(["trial", "step"]).exactOptional(),
  keepAlive: z.boolean().nullable(),
  // Files of 0.1.0 have none.
  arrival: z
    .looseObject({ spacing: z.enum(["uniform", "poisson"]), seed: z.number(), maxInFlight: z.number() })
    .nullable()
    .default(null),
  ramp: z.looseObject({ from: z.number(), riseMs: z.number(), steps: z.number().nullable() }).nullable().default(null),
  engine: z.looseObject({
    name: z.string(),
    generators: z.union([z.number(), z.literal("auto")]).nullable(),
    // Files of 0.1.0 have none.
    options: z.record(z.string(), z.unknown()).default({}),
  }),
  thresholds: z.array(threshold),
  // Files of 0.1.0 have none of these.
  margin: z.number().nullable().default(null),
  // Not the default of today: what they had.
  errorMargin: z.number().default(0.001),
  stopOn: z.array(threshold).default([]),
  order: z.enum(["interleaved", "random"]).nullable().default("interleaved"),
  seed: z.number().nullable().default(1),
  search: z
    .looseObject({
      by: z.enum(["connections", "rate"]),
      start: z.number(),
      growth: z.number(),
      most: z.number(),
      resolution: z.number(),
      needed: z.number(),
      beyond: z.number().nullable(),
    })
    .nullable()
    .default(null),
});
