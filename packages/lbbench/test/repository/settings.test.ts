import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/commands.js";
import { attributeOf } from "../../src/cli/flags.js";
import { startableServers } from "../../src/config/targets.js";
import { ENGINES, SERVER_NAMES, SERVERS_WITH_OPTIONS, SETTINGS } from "../../src/config/settings.js";
import { builtInEngines } from "../../src/engines/built-in-engines.js";
import { builtInServers } from "../../src/servers/built-in-servers.js";
import { readDocument } from "@lbbench/test-support/repository.js";

const paths = SETTINGS.flatMap(({ path }) => path ?? []);

/** As much of a JSON schema as is looked at. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
}

const schema = JSON.parse(readDocument("packages/lbbench/config.schema.json")) as Schema;

/** All fields below a schema with what is said of them: `search.by`, `targets[].name`. */
function fieldsOf({ properties = {}, items, anyOf = [] }: Schema, place = ""): readonly (readonly [string, string])[] {
  const own = Object.entries(properties).flatMap(([key, inner]) => {
    const field = place === "" ? key : `${place}.${key}`;
    return [[field, inner.description ?? ""] as const, ...fieldsOf(inner, field)];
  });
  return [...own, ...(items ? fieldsOf(items, `${place}[]`) : []), ...anyOf.flatMap((one) => fieldsOf(one, place))];
}

const fields = new Map(fieldsOf(schema));

describe("the table of settings", () => {
  it("has a row for each field of a config file, and no other", () => {
    // Those of a request are told once, for the request and for an entry of a mix; options of engines are free.
    const ofRequest = paths.flatMap((path) => (path.startsWith("request.") ? path.slice("request.".length) : []));
    const told = [...paths.filter((path) => !path.startsWith("engines.")), ...ofRequest.map((key) => `mix[].${key}`)];
    expect(told.toSorted()).toEqual([...fields.keys()].toSorted());
    expect([...fields].filter(([, about]) => about === "")).toEqual([]);
  });

  it("says what editors show of each field in a config", () => {
    // As they come out of the compiler, which keeps the comments of some types alone.
    const declared = ["sweep-input", "requests", "faults"].map((file) =>
      readDocument(`packages/lbbench/dist/config/${file}.d.ts`),
    );
    const comments = declared.flatMap((text) => text.replaceAll(/\s+(\* )?/g, " ").split("/** "));
    const missing = [...fields].filter(([field, about]) => {
      const isSaid = (comment: string): boolean =>
        comment.startsWith(about) && comment.split("*/")[1]?.startsWith(` ${field.replace(/.*\./, "")}: `) === true;
      return !comments.some(isSaid);
    });
    expect(missing).toEqual([]);
  });

  it("names the servers and engines that there are", () => {
    expect(startableServers(builtInServers)).toEqual(SERVER_NAMES);
    expect([...builtInServers.keys()].toSorted()).toEqual([...SERVER_NAMES, ...SERVERS_WITH_OPTIONS].toSorted());
    expect([...builtInEngines.keys()]).toEqual(ENGINES.map(([name]) => name));
  });

  it.each(COMMANDS)("gives no two flags of lbbench $name one name", ({ settings = [] }) => {
    const names = settings.flatMap(({ flags = "" }) => flags.match(/(?<![\w-])--?[\w-]+/g) ?? []);
    expect(names).toEqual([...new Set(names)]);
    expect(settings.map(({ flags = "" }) => attributeOf(flags))).not.toContain("");
  });
});
