import { describe, expect, it } from "vitest";
import { needs } from "../../test/support/needs.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import { engineContract } from "./engine-contract.js";

/** ab looks at its clock, and hey at a signal, when an answer has come. */
const WAITS = "ends a timed run in time, and what is open then is in flight";
/** What a program does otherwise than the contract wants it, and nobody who drives it can help. */
const EXCEPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["ab", [WAITS]],
  [
    "hey",
    [
      WAITS,
      "ends at once when it is aborted, and keeps what it has counted",
      // A connection that was kept and closes without an answer is replaced in secret.
      "counts requests that end without an answer",
    ],
  ],
]);

const PROGRAMS = [...builtInEngines.values()].filter(({ supports }) => supports.automatic === false);

describe.each(PROGRAMS.filter(({ name }) => needs(name)))("engine $name", (engine) => {
  const exceptions = EXCEPTIONS.get(engine.name) ?? [];
  const cases = engineContract(engine);

  it.each(cases.filter(({ name }) => !exceptions.includes(name)))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it("has no exceptions but those that the contract has cases for", () => {
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining([...exceptions]));
  });
});
