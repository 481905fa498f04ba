import { describe, expect, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import { COMMANDS } from "../../src/cli/commands/commands.js";
import type { RunCommand } from "../../src/config/field.js";
import type { sweepInputSchema } from "../../src/config/schema.js";
import type { SweepInput } from "../../src/config/sweep-input.js";
import { startableServers } from "../../src/config/targets.js";
import { ENGINES, SERVER_NAMES, SERVERS_WITH_OPTIONS, SETTINGS, unusedIn } from "../../src/config/settings.js";
import { builtInEngines } from "../../src/engines/built-in-engines.js";
import { builtInServers } from "../../src/servers/built-in-servers.js";
import { readDocument } from "@lbbench/test-support/repository.js";

describe("the table of settings", () => {
  it("is what the types of the library say", () => {
    expectTypeOf<SweepInput>().toEqualTypeOf<z.input<typeof sweepInputSchema>>();
    const type = readDocument("packages/lbbench/src/config/sweep-input.ts");
    for (const { path = "engines.", about } of SETTINGS) {
      if (path.startsWith("engines.")) continue;
      const [, told = ""] = type.split(`* ${about.charAt(0).toUpperCase()}${about.slice(1)}.`);
      expect(told.split("*/")[1]?.trim().split(/\??:/)[0]).toBe(path.replace(/.*\./, ""));
    }
  });

  it("stands in the documents with every field of a config file", () => {
    const told = ["docs/config.md", "docs/policies.md"].map(readDocument).join("\n");
    const fields = SETTINGS.flatMap(({ path }) => path ?? []);
    expect(fields.filter((path) => !told.includes(`\n| \`${path}\` |`))).toEqual([]);
  });

  it("names the servers and engines that there are", () => {
    expect(startableServers(builtInServers)).toEqual(SERVER_NAMES);
    expect([...builtInServers.keys()].toSorted()).toEqual([...SERVER_NAMES, ...SERVERS_WITH_OPTIONS].toSorted());
    expect([...builtInEngines.keys()]).toEqual(ENGINES.map(([name]) => name));
  });

  it.each<[RunCommand, string]>([
    ["sweep", "search ramp hold policies"],
    ["faults", "connections requests restart search ramp hold policies"],
    ["policies", "reference restart faults margin errorMargin stopOn search ramp hold"],
    ["max", "reference connections rate requests faults margin errorMargin stopOn order ramp hold policies"],
    ["ramp", "connections rate arrival requests duration faults stopOn search hold policies"],
    [
      "hold",
      "reference rate arrival requests duration restart requestsPerConnection margin errorMargin stopOn search ramp policies",
    ],
  ])("tells what lbbench %s leaves out of a config file", (command, unused) => {
    expect(unusedIn(command)).toEqual(unused.split(" "));
  });

  it.each(COMMANDS)("gives no two flags of lbbench $name one name", ({ settings = [] }) => {
    const names = settings.flatMap(({ flags = "" }) => flags.match(/(?<![\w-])--?[\w-]+/g) ?? []);
    expect(names).toEqual([...new Set(names)]);
    for (const { flags } of settings) expect(flags).toMatch(/--\w/);
  });
});
