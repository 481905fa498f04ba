import { afterAll, describe, expect, it } from "vitest";
import { inProcessChildren } from "../../test/ground-truth/in-process-children.js";
import { SUBJECTS } from "../../test/ground-truth/subjects.js";
import type { Engine, EngineSupport, Reporter, Server } from "../plugin.js";
import { REPORTERS } from "../report/reporters.js";
import { singleServer } from "../servers/single.js";
import type { ContractCase } from "./contract-case.js";
import { engineContract } from "./engine-contract.js";
import { createFakeEngine } from "./fake-engine.js";
import { createFakeServer } from "./fake-server.js";
import { reporterContract } from "./reporter-contract.js";
import { serverContract } from "./server-contract.js";

/** What is left is seen only of processes that the contract itself has started and ended. */
const OF_PROCESSES = "leaves no process when its children are closed";

describe.each([...new Map(SUBJECTS.map((subject) => [subject.engine, subject])).values()])(
  "engine $engine.name",
  ({ engine, prepare }) => {
    const children = inProcessChildren(prepare);
    afterAll(() => children.close());
    const shared: Engine = { ...engine, run: (load, context) => engine.run(load, { ...context, children }) };
    const cases = engineContract(shared).filter(({ name }) => name !== OF_PROCESSES);
    it.each([...cases, ...engineContract(engine).filter(({ name }) => name === OF_PROCESSES)])(
      "$name",
      async ({ run }) => {
        await expect(run()).resolves.toBeUndefined();
      },
    );
  },
);

describe.each([...REPORTERS.values()])("reporter $format", (reporter) => {
  it.each(reporterContract(reporter))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

/** Names of the cases that reject. */
async function failing(cases: readonly ContractCase[]): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  return cases.flatMap(({ name }, index) => (outcomes[index]?.status === "rejected" ? [name] : []));
}

async function failingInTurn(cases: readonly ContractCase[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const one of cases) names.push(...(await failing([one])));
  return names;
}

describe("the contract of servers", () => {
  const single = singleServer as Server;
  const options = (): unknown => ({});

  it("notices one that does not answer", async () => {
    expect(await failing(serverContract(createFakeServer(), { options, owns: false }))).toEqual([
      "answers at its URL when it has started",
    ]);
  });

  it("notices one that does not stop", async () => {
    const stops: (() => Promise<void>)[] = [];
    const start: Server["start"] = async (given, context) => {
      const running = await single.start(given, context);
      stops.push(running.stop);
      return { ...running, stop: async () => {} };
    };
    const left = await failingInTurn(serverContract({ ...single, start }, { options }));
    await Promise.all(stops.map((stop) => stop()));
    expect(left).toContain("leaves neither a process nor a port when it was stopped");
  });

  it("notices one that starts though it was aborted", async () => {
    const stops: (() => Promise<void>)[] = [];
    const start: Server["start"] = async (given, context) => {
      const running = await single.start(given, { ...context, signal: new AbortController().signal });
      stops.push(running.stop);
      return running;
    };
    const cases = serverContract({ ...single, start }, { options });
    const found = await failingInTurn(cases.filter(({ name }) => name.includes("abort")));
    await Promise.all(stops.map((stop) => stop()));
    expect(found).toEqual(["does not start when it was aborted before"]);
  });

  it("notices one that tells a death when it was asked to stop", async () => {
    const start: Server["start"] = async (given, context) => {
      const running = await single.start(given, context);
      return { ...running, died: Promise.resolve("it ended") };
    };
    expect(await failingInTurn(serverContract({ ...single, start }, { options }))).toEqual([
      "does not report a death when it was asked to stop",
    ]);
  });

  it("notices a start that does not fail, and one that does not say why", async () => {
    const cases = serverContract(single, {
      options,
      failing: [
        { when: "it should", options, says: [] },
        { when: "its port is wrong", options: () => ({ port: -1 }), says: ["the moon is full"] },
      ],
    });
    expect(await failingInTurn(cases)).toEqual([
      "rejects, with nothing left, when it should",
      "rejects, with nothing left, when its port is wrong",
    ]);
  });
});

describe("the contract of engines", () => {
  it("notices one that sends nothing, in all cases but those that do not ask the server", async () => {
    const cases = engineContract(createFakeEngine());
    const found = await failingInTurn(cases);
    expect(cases.map(({ name }) => name).filter((name) => !found.includes(name))).toEqual([
      "tells its processes before the first request leaves",
      "tells its progress, and never less than before",
      "leaves no process when its children are closed",
    ]);
  });

  const namesFor = (supports: Partial<EngineSupport>): readonly string[] =>
    engineContract(createFakeEngine({ supports })).map(({ name }) => name);
  const all = namesFor({});

  it.each<[string, Partial<EngineSupport>, RegExp, number]>([
    ["keep-alive switched off", { keepAliveOff: false }, /connections are not to be kept/, 1],
    ["expectations", { expectations: false }, /that (are|is) expected/, 2],
    ["HTTP/2", { httpVersions: ["1.1"] }, /by HTTP\/2/, 1],
    ["mixes", { mixes: false }, /a mix/, 1],
    ["rates", { loads: ["connections", "users"] }, /on a schedule/, 2],
    ["users", { loads: ["connections", "rate"] }, /brings users/, 1],
    ["times", { amounts: ["requests"] }, /a timed run|progress|cannot leave|brings users/, 4],
  ])("asks nobody for %s who does not support it", (_, supports, about, count) => {
    expect(all.filter((name) => about.test(name))).toHaveLength(count);
    expect(namesFor(supports)).toEqual(all.filter((name) => !about.test(name)));
  });

  it("never sends what is not supported", async () => {
    const supports = { amounts: ["duration"], generators: false, httpVersions: ["2"] } as const;
    const engine = createFakeEngine({ supports });
    await failingInTurn(engineContract(engine));
    const loads = engine.loads();
    expect(new Set(loads.map(({ generators }) => generators))).toEqual(new Set([1]));
    expect(new Set(loads.map(({ level }) => level.requests))).toEqual(new Set([undefined]));
    expect(new Set(loads.map(({ httpVersion }) => httpVersion))).toEqual(new Set(["2"]));
    expect(loads.length).toBeGreaterThan(10);
  });

  it("asks the engine before whether it can do it", async () => {
    const check = async (): Promise<void> => {
      throw new Error("Not on a Sunday");
    };
    const cases = engineContract({ ...createFakeEngine(), check });
    expect(await failingInTurn(cases)).toHaveLength(cases.length);
  });

  it("notices one that loses requests", async () => {
    const [{ engine, prepare } = {} as never] = SUBJECTS;
    const children = inProcessChildren(prepare);
    const losing: Engine = {
      ...engine,
      run: async (load, context) => {
        const { measurement, ...rest } = await engine.run({ ...load, generators: 1 }, { ...context, children });
        const requests = { ...measurement.requests, sent: measurement.requests.sent + 1 };
        return { ...rest, measurement: { ...measurement, requests } };
      },
    };
    const cases = engineContract(losing);
    expect(await failingInTurn(cases)).toEqual(cases.map(({ name }) => name));
  });
});

describe("the contract of reporters", () => {
  it.each([
    ["a path", () => [{ name: "../report.txt", content: "" }]],
    ["a hidden file", () => [{ name: ".report", content: "" }]],
    ["two files of one name", () => [1, 2].map(() => ({ name: "report.txt", content: "" }))],
  ])("notices %s", async (_, render: Reporter["render"]) => {
    const names = await failing(reporterContract({ format: "text", render }));
    expect(names).toHaveLength(4);
    expect(names.every((name) => name.endsWith("to files with plain names"))).toBe(true);
  });

  it("notices one that has nothing to say of what was measured", async () => {
    expect(await failing(reporterContract({ format: "text", render: () => [] }))).toEqual([
      "renders a whole sweep of two targets to files with plain names",
      "renders a single step to files with plain names",
    ]);
  });

  it("notices one that is not pure", async () => {
    let calls = 0;
    const render: Reporter["render"] = (result) => {
      calls += 1;
      return [{ name: "report.txt", content: `${result.steps.length} ${calls}` }];
    };
    const names = await failing(reporterContract({ format: "text", render }));
    expect(names.every((name) => name.endsWith("twice to the same bytes"))).toBe(true);
    expect(names).toHaveLength(4);
  });

  it("notices one that cannot do without steps", async () => {
    const render: Reporter["render"] = ({ steps: [first] }) => [
      { name: "report.txt", content: (first as NonNullable<typeof first>).target },
    ];
    expect(await failing(reporterContract({ format: "text", render }))).toEqual([
      "renders a result without steps to files with plain names",
      "renders a result without steps twice to the same bytes",
    ]);
  });
});
