import { describe, expect, it } from "vitest";
import type { Server } from "../plugin.js";
import { StartError } from "../servers/start-error.js";
import { aScenario } from "../test-support/fixtures.js";
import { createFakeServer } from "../testing/fake-server.js";
import { createStartTarget, retryOnce } from "./start-target.js";

const NEVER = new AbortController().signal;
const SCENARIO = aScenario({ targets: [{ name: "a", server: "fake", options: { port: 1 } }] });

const around = (servers: readonly (readonly [string, Server])[]) => ({
  servers: new Map(servers),
  folder: ".",
  env: {},
});

describe("createStartTarget", () => {
  it("starts a target with the plugin and the options of the scenario", async () => {
    const given: unknown[] = [];
    const server = createFakeServer({ onStart: (options) => void given.push(options) });
    await createStartTarget(SCENARIO, around([["fake", server]]))("a", NEVER);
    expect(given).toEqual([{ port: 1 }]);
  });

  it("makes a StartError of whatever a plugin throws, and keeps one that is one", async () => {
    const own = new StartError("no such program");
    const reasons: unknown[] = [own, new TypeError("x is not a function"), "just text"];
    const server = createFakeServer({
      onStart: () => {
        throw reasons.shift();
      },
    });
    const start = createStartTarget(SCENARIO, around([["fake", server]]));
    await expect(start("a", NEVER)).rejects.toBe(own);
    await expect(start("a", NEVER)).rejects.toThrow('The target "a" could not be started: x is not a function');
    await expect(start("a", NEVER)).rejects.toThrow('The target "a" could not be started: just text');
  });

  it.each([
    [undefined, "it resolves with undefined"],
    [{}, 'its "url" is no URL: undefined'],
    [{ url: "127.0.0.1", processes: [] }, `its "url" is no URL: '127.0.0.1'`],
    [{ url: "http://127.0.0.1:1" }, 'its "processes" is no list: undefined'],
    [{ url: "http://127.0.0.1:1", processes: [] }, 'its "died" is no promise: undefined'],
    [{ url: "http://127.0.0.1:1", processes: [], died: Promise.resolve("") }, 'its "stop" is no function: undefined'],
  ])("names the plugin that has started %j", async (started, fault) => {
    const server: Server = { ...createFakeServer(), name: "own", start: async () => started as never };
    const failure = await createStartTarget(SCENARIO, around([["fake", server]]))("a", NEVER).catch((error) => error);
    expect(failure).toBeInstanceOf(StartError);
    expect((failure as Error).message).toContain(
      `The server plugin "own": expected its start to resolve with { url, processes, died, stop }, but ${fault}.`,
    );
  });

  it("stops what a plugin has started that cannot be used", async () => {
    let stops = 0;
    const stop = async (): Promise<void> => void (stops += 1);
    const server: Server = { ...createFakeServer(), start: async () => ({ url: 5, stop }) as never };
    await expect(createStartTarget(SCENARIO, around([["fake", server]]))("a", NEVER)).rejects.toThrow("is no URL: 5");
    expect(stops).toBe(1);
  });

  it("checks what is started behind a plugin as well", async () => {
    const broken: Server = { ...createFakeServer(), name: "broken", start: async () => ({}) as never };
    const front: Server = {
      ...createFakeServer(),
      start: async (_, { startServer }) => startServer({ server: "broken", options: {} }, "backend-1"),
    };
    const start = createStartTarget(
      SCENARIO,
      around([
        ["fake", front],
        ["broken", broken],
      ]),
    );
    await expect(start("a", NEVER)).rejects.toThrow('The server plugin "broken": expected');
  });

  it.each(["b", "constructor"])("has no target by the name %s", async (name) => {
    await expect(createStartTarget(SCENARIO, around([]))(name, NEVER)).rejects.toThrow(`There is no target "${name}"`);
  });
});

describe("retryOnce", () => {
  function failing(times: number): { readonly attempts: () => number; readonly start: ReturnType<typeof retryOnce> } {
    let attempts = 0;
    const server = createFakeServer({
      onStart: () => {
        attempts += 1;
        if (attempts <= times) throw new StartError(`attempt ${attempts}`);
      },
    });
    const start = retryOnce(createStartTarget(SCENARIO, around([["fake", server]])));
    return { attempts: () => attempts, start };
  }

  it("does not start twice what starts", async () => {
    const { attempts, start } = failing(0);
    await start("a", NEVER);
    expect(attempts()).toBe(1);
  });

  it("gives what comes up again a second chance", async () => {
    const { start } = failing(1);
    await expect(start("a", NEVER)).resolves.toMatchObject({ processes: [] });
  });

  it("rejects with the second failure", async () => {
    const { attempts, start } = failing(2);
    await expect(start("a", NEVER)).rejects.toThrow("attempt 2");
    expect(attempts()).toBe(2);
  });

  it("does not try again when it is aborted between the two", async () => {
    const { attempts, start } = failing(1);
    const controller = new AbortController();
    const started = start("a", controller.signal);
    controller.abort();
    await expect(started).rejects.toThrow("aborted");
    expect(attempts()).toBe(1);
  });
});
