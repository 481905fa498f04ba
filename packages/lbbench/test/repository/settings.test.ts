import { readFileSync } from "node:fs";
import type { z } from "zod";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/commands.js";
import { attributeOf } from "../../src/cli/flags.js";
import { startableServers } from "../../src/config/targets.js";
import { ENGINE_NAMES, SERVER_NAMES, SERVERS_WITH_OPTIONS, SETTINGS } from "../../src/config/settings.js";
import { sweepInputSchema } from "../../src/config/sweep-input.js";
import { builtInEngines } from "../../src/engines/built-in-engines.js";
import { builtInServers } from "../../src/servers/built-in-servers.js";
import { inRepository, readDocument } from "./repository.js";

const paths = SETTINGS.flatMap(({ path }) => path ?? []);

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

describe("the table of settings", () => {
  it("has a row for each field of a config file, and no other", () => {
    // Those of a request are told once, for the request and for an entry of a mix; options of engines are free.
    const ofRequest = paths.flatMap((path) => (path.startsWith("request.") ? path.slice("request.".length) : []));
    const told = [...paths.filter((path) => !path.startsWith("engines.")), ...ofRequest.map((key) => `mix[].${key}`)];
    expect(told.toSorted()).toEqual([...new Set(fieldsOf(sweepInputSchema))].toSorted());
  });

  it("has the inputs of the Action that are settings, by names of their own", () => {
    const { inputs } = parse(readDocument("action.yml")) as { readonly inputs: Readonly<Record<string, unknown>> };
    const named = SETTINGS.flatMap(({ action }) => action ?? []);
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(named));
    const own = "url baseline comment comment-key token fail-on working-directory".split(" ");
    expect(Object.keys(inputs).toSorted()).toEqual([...named, ...own].toSorted());
  });

  it("names the servers and engines that there are", () => {
    expect(startableServers(builtInServers)).toEqual(SERVER_NAMES);
    expect([...builtInServers.keys()].toSorted()).toEqual([...SERVER_NAMES, ...SERVERS_WITH_OPTIONS].toSorted());
    expect([...builtInEngines.keys()]).toEqual(ENGINE_NAMES);
  });

  it("describes every field in the schema for editors", () => {
    const schema = readFileSync(inRepository("packages/lbbench/config.schema.json"), "utf8");
    for (const { path, about } of SETTINGS.filter(
      (one) => one.path !== undefined && !one.path.startsWith("engines."),
    )) {
      expect(schema, path).toContain(JSON.stringify(`${about.charAt(0).toUpperCase()}${about.slice(1)}.`).slice(1, -1));
    }
  });

  it.each(COMMANDS)("gives no two flags of lbbench $name one name", ({ settings = [] }) => {
    const names = settings.flatMap(({ flags = "" }) => flags.match(/(?<![\w-])--?[\w-]+/g) ?? []);
    expect(names).toEqual([...new Set(names)]);
    expect(settings.map(({ flags = "" }) => attributeOf(flags))).not.toContain("");
  });
});
