import type { z } from "zod";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { DEFAULTS } from "../../src/config/defaults.js";
import { sweepInputSchema } from "../../src/config/sweep-input.js";
import { readDocument } from "./repository.js";

interface Row {
  readonly field: string;
  readonly flags: readonly string[];
  readonly text: string;
}

const rows: readonly Row[] = [...readDocument("docs/config.md").matchAll(/^\| `[\w.[\]]+` \|.*$/gm)].map(([line]) => {
  const [, field = "", , flags = "", text = ""] = line.split(/ ?\| ?/);
  return {
    field: field.replaceAll("`", ""),
    flags: [...flags.matchAll(/`(--?[\w-]+)`/g)].map(([, flag = ""]) => flag),
    text: text.trim(),
  };
});

/** Places of all fields below a schema: `search.by`, `targets[].name`. Free records have none. */
function fieldsOf(schema: z.core.$ZodType, place = ""): readonly string[] {
  const { def } = schema._zod as unknown as { readonly def: SchemaParts };
  if (def.type === "object") {
    return Object.entries(def.shape ?? {}).flatMap(([key, inner]) => {
      const field = place === "" ? key : `${place}.${key}`;
      return [field, ...fieldsOf(inner, field)];
    });
  }
  if (def.type === "array") return def.element === undefined ? [] : fieldsOf(def.element, `${place}[]`);
  const inside = [def.innerType, def.in, ...(def.options ?? [])].filter((one) => one !== undefined);
  return inside.flatMap((inner) => fieldsOf(inner, place));
}

interface SchemaParts {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

const seconds = (ms: number): string => `${ms / 1000}s`;

/** Defaults as the tables begin with them. */
const WRITTEN_DEFAULTS: Readonly<Record<string, string>> = {
  name: `\`${DEFAULTS.name}\`; of a search \`${DEFAULTS.search.name}\`, of a ramp \`${DEFAULTS.ramp.name}\``,
  targets: DEFAULTS.targets.map(({ name }) => `\`${name}\``).join(", "),
  connections: DEFAULTS.connections.join(", "),
  duration: seconds(DEFAULTS.durationMs),
  trials: `${DEFAULTS.trials}; of a search at most ${DEFAULTS.search.trials}`,
  warmup: `\`${DEFAULTS.warmup}\`, with \`requests\` ${DEFAULTS.warmupOfRequestsMs}ms`,
  restart: DEFAULTS.restart,
  timeout: seconds(DEFAULTS.timeoutMs),
  keepAlive: String(DEFAULTS.keepAlive),
  httpVersion: DEFAULTS.httpVersion,
  engine: `\`${DEFAULTS.engine}\``,
  generators: String(DEFAULTS.generators),
  thresholds: `none; of a search \`${DEFAULTS.search.threshold}\``,
  errorMargin: `${DEFAULTS.errorMargin * 100}%`,
  order: DEFAULTS.order,
  seed: String(DEFAULTS.seed),
  out: `\`${DEFAULTS.outFolder}/NAME-TIMESTAMP\``,
  formats: DEFAULTS.formats.join(", "),
  charts: DEFAULTS.charts,
  "request.method": DEFAULTS.request.method,
  "request.path": `\`${DEFAULTS.request.path}\``,
  "request.expectStatus": DEFAULTS.request.expectStatus,
  "mix[].weight": String(DEFAULTS.mixWeight),
  "arrival.spacing": DEFAULTS.arrival.spacing,
  "arrival.maxInFlight": String(DEFAULTS.arrival.maxInFlight),
  "search.by": DEFAULTS.search.by,
  "search.start": `${DEFAULTS.search.start.connections}, by rate ${DEFAULTS.search.start.rate}`,
  "search.growth": String(DEFAULTS.search.growth),
  "search.most": `${DEFAULTS.search.most.connections}, by rate ${DEFAULTS.search.most.rate}`,
  "search.resolution": String(DEFAULTS.search.resolution),
  "ramp.from": String(DEFAULTS.ramp.from),
  "ramp.to": String(DEFAULTS.ramp.to),
  "ramp.over": seconds(DEFAULTS.ramp.riseMs),
  "ramp.hold": seconds(DEFAULTS.ramp.holdMs),
};

describe("docs/config.md", () => {
  it("has a row for each field of a config file, and no other", () => {
    const ofRequest = rows.flatMap(({ field }) => (field.startsWith("request.") ? field.slice("request.".length) : []));
    // Those are told once, for the request and for an entry of a mix.
    const told = [...rows.map(({ field }) => field), ...ofRequest.map((field) => `mix[].${field}`)];
    expect(told.toSorted()).toEqual([...new Set(fieldsOf(sweepInputSchema))].toSorted());
  });

  it("names flags that there are", () => {
    const known = createProgram(() => {})
      .commands.filter((command) => /^(sweep|max|ramp)$/.test(command.name()))
      .flatMap(({ options }) => options.flatMap(({ short, long }) => [short, long]));
    const named = rows.flatMap(({ flags }) => flags);
    expect(named.length).toBeGreaterThan(40);
    expect(known).toEqual(expect.arrayContaining(named));
  });

  it.each(Object.entries(WRITTEN_DEFAULTS))("says the default of %s", (field, written) => {
    expect(rows.find((row) => row.field === field)?.text).toMatch(startingWith(written));
  });
});

/** The default, then nothing or something that does not belong to it. */
function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}($|[;,] )`);
}
