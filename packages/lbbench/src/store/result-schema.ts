import * as z from "zod";
import type { FindingCode } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { measurementSchema, networkSchema, pressureSchema, usageSchema } from "./measurement-schema.js";
import { levelSchema, scenarioSchema } from "./scenario-schema.js";

const finding = z.looseObject({
  // A later release may know more of them.
  code: z.custom<FindingCode>((value) => typeof value === "string", "expected the code of a finding"),
  severity: z.enum(["info", "warning", "error"]),
  args: z.record(z.string(), z.union([z.string(), z.number()])),
});

const environment = z.looseObject({
  cpuModel: z.string(),
  cores: z.number(),
  memoryBytes: z.number(),
  os: z.string(),
  kernel: z.string(),
  node: z.string(),
  fdLimit: z.number().nullable(),
  portRange: z.tuple([z.number(), z.number()]).nullable(),
  loadAverage: z.number(),
  network: networkSchema.exactOptional(),
});

const imported = z.looseObject({
  files: z.array(
    z.looseObject({
      name: z.string(),
      modifiedAt: z.string().nullable(),
      programs: z.array(z.string()),
      runs: z.number(),
    }),
  ),
});

const step = z.looseObject({
  target: z.string(),
  level: levelSchema,
  trial: z.number(),
  engine: z.string(),
  state: z.enum(["completed", "failed", "aborted"]),
  error: z.looseObject({ code: z.string(), message: z.string() }).exactOptional(),
  warmup: z.looseObject({ durationMs: z.number(), steady: z.boolean().nullable() }).exactOptional(),
  generators: z.number().exactOptional(),
  measurement: measurementSchema.exactOptional(),
  usage: usageSchema.exactOptional(),
  pressure: pressureSchema.exactOptional(),
  findings: z.array(finding),
});

const triedLevel = z.looseObject({
  value: z.number(),
  decision: z.enum(["held", "broken", "unclear", "undecided"]),
  held: z.number(),
  broken: z.number(),
  unclear: z.number(),
  because: z.string().exactOptional(),
  doubt: z.string().exactOptional(),
});

const searchOutcome = z.looseObject({
  target: z.string(),
  by: z.enum(["connections", "rate"]),
  status: z.enum(["found", "unbounded", "nothing-held", "unclear", "unfinished"]),
  held: z.number().nullable(),
  broken: z.number().nullable(),
  tried: z.array(triedLevel),
  beyond: triedLevel.nullable(),
});

/**
 * What a result.json of version 1 must have for its judgement and its reports to be made; fields that are not known pass
 * unchanged, as later releases may add some.
 */
export const resultSchema: z.ZodType<Result> = z.looseObject({
  version: z.literal(1),
  tool: z.looseObject({ name: z.string(), version: z.string() }),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  resumedAt: z.array(z.string()).exactOptional(),
  complete: z.boolean(),
  command: z.string().nullable(),
  folder: z.string().exactOptional(),
  scenario: scenarioSchema,
  imported: imported.exactOptional(),
  environment: environment.nullable(),
  steps: z.array(step),
  search: z.array(searchOutcome).exactOptional(),
  verdict: z.looseObject({ status: z.enum(["pass", "fail", "inconclusive"]), findings: z.array(finding) }),
});
