import { afterAll, describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { inProcessChildren } from "../../test/ground-truth/in-process-children.js";
import { SUBJECTS } from "../../test/ground-truth/subjects.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import type { Engine } from "../plugin.js";
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

describe("the contract of engines notices one that loses requests", () => {
  const [{ engine } = {} as never] = SUBJECTS;
  const children = inProcessChildren();
  afterAll(() => children.close());
  const losing: Engine = {
    ...engine,
    run: async (load, context) => {
      const { measurement, ...rest } = await engine.run({ ...load, generators: 1 }, { ...context, children });
      const requests = { ...measurement.requests, sent: measurement.requests.sent + 1 };
      return { ...rest, measurement: { ...measurement, requests } };
    },
  };

  it.each(engineContract(losing))("when it $name", async ({ run }) => {
    await expect(run()).rejects.toMatchObject({ name: "AssertionError" });
  });
});
