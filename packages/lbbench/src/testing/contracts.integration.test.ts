import { afterAll, afterEach, describe, expect, it } from "vitest";
import { inProcessChildren } from "../../test/ground-truth/in-process-children.js";
import { SUBJECTS } from "../../test/ground-truth/subjects.js";
import type { Engine, EngineSupport, RunningServer, Server, ServerContext } from "../plugin.js";
import { singleServer } from "../servers/sample-servers.js";
import type { ContractCase } from "./contract.js";
import { engineContract } from "./engine-contract.js";
import { createFakeEngine } from "./fake-engine.js";
import { createFakeServer } from "./fake-server.js";
import { serverContract, type ServerContractSubject } from "./server-contract.js";

/** What is left is seen only of processes that the contract itself has started and ended. */
const OF_PROCESSES = "leaves no process when its children are closed";

describe.each([...new Map(SUBJECTS.map((subject) => [subject.engine, subject])).values()])(
  "engine $engine.name",
  ({ engine }) => {
    const children = inProcessChildren();
    afterAll(() => children.close());
    const shared: Engine = { ...engine, run: (load, context) => engine.run(load, { ...context, children }) };
    const cases = engineContract(shared).filter(({ name }) => name !== OF_PROCESSES);
    const isOfLog = ({ name }: ContractCase): boolean => name.startsWith("agrees with the log");
    it.each([
      ...cases.filter((one) => !isOfLog(one)),
      ...engineContract(engine).filter(({ name }) => name === OF_PROCESSES),
    ])("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
    const apart: Engine = {
      ...engine,
      run: async (load, context) => {
        const own = inProcessChildren();
        try {
          return await engine.run(load, { ...context, children: own });
        } finally {
          await own.close();
        }
      },
    };
    const ofLog = engineContract(apart).filter(isOfLog);
    describe.runIf(ofLog.length > 0)("beside others", () => {
      it.concurrent.each(ofLog)("$name", async ({ run }) => {
        await expect(run()).resolves.toBeUndefined();
      });
    });
  },
);

/** Names of the cases that reject, one after the other. */
async function failingInTurn(cases: readonly ContractCase[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, run } of cases) {
    await run().catch(() => names.push(name));
  }
  return names;
}

describe("the contract of servers", () => {
  const single = singleServer as Server;
  const options = (): unknown => ({});
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });

  /** The server `single`, with something wrong with it once it runs. */
  const broken = (
    change: (running: RunningServer) => Partial<RunningServer>,
    context: Partial<ServerContext> = {},
  ): Server => ({
    ...single,
    start: async (given, own) => {
      const running = await single.start(given, { ...own, ...context });
      stops.push(running.stop);
      return { ...running, ...change(running) };
    },
  });

  it.each<[string, Server, Partial<ServerContractSubject>, readonly string[]]>([
    ["does not answer", createFakeServer(), { owns: false }, ["answers at its URL when it has started"]],
    [
      "does not stop",
      broken(() => ({ stop: async () => {} })),
      {},
      ["leaves neither a process nor a port when it was stopped"],
    ],
    [
      "starts though it was aborted",
      broken(() => ({}), { signal: new AbortController().signal }),
      {},
      ["does not start when it was aborted before"],
    ],
    [
      "tells a death when it was asked to stop",
      broken(() => ({ died: Promise.resolve("it ended") })),
      {},
      ["does not report a death when it was asked to stop"],
    ],
    [
      "does not fail, or does not say why",
      single,
      {
        failing: [
          { when: "it should", options, says: [] },
          { when: "its port is wrong", options: () => ({ port: -1 }), says: ["the moon is full"] },
        ],
      },
      ["rejects, with nothing left, when it should", "rejects, with nothing left, when its port is wrong"],
    ],
  ])("notices one that %s", async (_, server, subject, expected) => {
    const cases = serverContract(server, { options, ...subject });
    expect(await failingInTurn(cases.filter(({ name }) => expected.includes(name)))).toEqual(expected);
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
    [
      "expectations",
      { expectations: false },
      /that are expected|: (304|a request with a body|answers with another|does all)/,
      5,
    ],
    ["resets", { resets: false }, /: (resets in the middle|does all)/, 3],
    ["HTTP/2", { httpVersions: ["1.1"] }, /by HTTP\/2/, 1],
    ["mixes", { mixes: false }, /a mix/, 1],
    ["rates", { loads: ["connections", "connectionRate", "users"] }, /on a schedule/, 2],
    ["new connections", { loads: ["connections", "rate", "users"] }, /opens connections at a rate/, 1],
    ["users", { loads: ["connections", "rate", "connectionRate"] }, /brings users/, 1],
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

  it("notices one that cannot do without a listener", async () => {
    const [{ engine } = {} as never] = SUBJECTS;
    const cases = engineContract({
      ...engine,
      run: async (_, { onStart, onProgress }) => {
        if (onStart === undefined || onProgress === undefined) throw new TypeError("onProgress is not a function");
        throw new Error("listened to");
      },
    });
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    const unheard = outcomes.filter((one) => one.status === "rejected" && one.reason instanceof TypeError);
    expect(unheard).toHaveLength(cases.length - 3);
  });

  it("notices one that ends by itself where it was to be aborted", async () => {
    const engine = createFakeEngine({ see: () => ({ requests: { ok: 40, inFlight: 2 } }) });
    const [abort] = engineContract(engine).filter(({ name }) => name.includes("aborted"));
    await expect(abort?.run()).rejects.toThrow("it ended before it was aborted");
  });
});
