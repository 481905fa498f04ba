import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import { engineContract } from "./engine-contract.js";

/** ab looks at its clock when an answer has come. */
const WAITS = "ends a timed run in time, and what is open then is in flight";
/** ab speaks HTTP/1.0, and waits where an answer of HTTP/1.1 says nothing of the connection; `ab.slow.test.ts` compares it with logs of its own. */
const OF_LOG = "agrees with the log of a server: ";
/** What a program does otherwise than the contract wants it, and nobody who drives it can help. */
const EXCEPTIONS: ReadonlyMap<string, readonly string[]> = new Map([["ab", [WAITS]]]);

const PROGRAMS = [...builtInEngines.values()].filter(({ supports }) => supports.automatic === false);

describe.each(PROGRAMS.filter(({ name }) => needs(name)))("engine $name", (engine) => {
  const exceptions = EXCEPTIONS.get(engine.name) ?? [];
  const cases = engineContract(engine).filter(({ name }) => !name.startsWith(OF_LOG));

  it.each(cases.filter(({ name }) => !exceptions.includes(name)))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it("has no exceptions but those that the contract has cases for", () => {
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining([...exceptions]));
  });
});
