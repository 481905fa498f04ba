import * as z from "zod";
import type { EngineRun } from "../plugin.js";
import { measurementSchema } from "../store/measurement-schema.js";

const engineRun = z.looseObject({
  measurement: measurementSchema,
  generators: z.array(z.looseObject({ pid: z.number(), name: z.string(), cpu: z.number(), rssBytes: z.number() })),
  targetGone: z.boolean(),
});

/**
 * Checks that what an engine came back with can be judged and stored; throws an `Error` that names the engine and the first
 * place that is not as expected.
 */
export function checkEngineRun(run: unknown, engine: string): EngineRun {
  const [issue] = engineRun.safeParse(run).error?.issues ?? [];
  if (issue === undefined) return run as EngineRun;
  const place = issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `;
  throw new Error(
    `the engine "${engine}": expected its run to resolve with { measurement, generators, targetGone }, but ${place}${issue.message}. ` +
      "That is a mistake in the engine: mend it there",
  );
}
