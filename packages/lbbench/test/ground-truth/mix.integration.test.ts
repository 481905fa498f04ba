import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { Arrival, MixedRequest, RequestSpec } from "../../src/model/scenario.js";
import { answer, hang, hangUp, type Action } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { closedPort } from "./closed-port.js";
import { expectConservation, expectSameAccounts, expectSameBytes } from "./expect-accounts.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";
import type { ReadRequest } from "./request-reader.js";

const ARRIVAL: Arrival = { spacing: "uniform", seed: 1, maxInFlight: 1000 };

interface EntryOptions extends Partial<RequestSpec> {
  readonly weight?: number;
  readonly bodies?: readonly string[];
}

/** An entry that is called as its path is. */
function anEntry(path: string, { weight = 1, bodies, ...request }: EntryOptions = {}): MixedRequest {
  const get = { method: "GET", headers: [], body: null, bodyEncoding: "utf8", expectStatus: "2xx", expectBody: null };
  return { name: path, weight, request: { ...get, path, ...request } as RequestSpec, bodies: bodies ?? null };
}

/** How often each path was asked for, or each answer given. */
function counting(): { readonly add: (key: string) => void; readonly counts: () => Readonly<Record<string, number>> } {
  const counts = new Map<string, number>();
  return {
    add: (key) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    counts: () => Object.fromEntries(counts),
  };
}

/** One count of every entry, by name; without those that are 0. */
function byName({ mix = [] }: CompleteMeasurement, count: "sent" | "ok" | "failed"): Readonly<Record<string, number>> {
  return Object.fromEntries(mix.filter((share) => share[count] > 0).map((share) => [share.name, share[count]]));
}

/** Expects that the entries together are the whole. */
function expectWhole(measurement: CompleteMeasurement): void {
  const { requests, mix = [] } = measurement;
  const total = (count: "sent" | "ok" | "failed"): number => mix.reduce((sum, share) => sum + share[count], 0);
  expectConservation(measurement);
  expect({ sent: total("sent"), ok: total("ok") }).toEqual({ sent: requests.sent, ok: requests.ok });
  expect(total("sent") - total("ok") - total("failed")).toBe(requests.inFlight);
}

const WEIGHTED = [anEntry("/a", { weight: 5 }), anEntry("/b?of=me", { weight: 3 }), anEntry("/c", { weight: 2 })];
const SHARES_OF_300 = { "/a": 150, "/b?of=me": 90, "/c": 60 };

describe.each(BUILT_IN_ENGINES.filter(({ supports }) => supports.mixes))("engine $name with a mix", (engine) => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  afterAll(() => children.close());

  const serve = async (behaviour: (request: ReadRequest) => Action): Promise<GroundTruthServer> => {
    server = await startGroundTruthServer((_, request) => behaviour(request));
    return server;
  };

  it.each([
    ["one generator", { generators: 1 }],
    ["three generators", { generators: 3 }],
    ["a connection for each request", { generators: 2, keepAlive: false }],
  ])("sends exactly the shares that the weights ask for, by %s", async (_, options) => {
    const asked = counting();
    const target = await serve(({ path }) => {
      asked.add(path);
      return answer();
    });
    // Every generator gets 300, 150 or 100 of them, of which each share is a whole number.
    const load = aLoad(target.url, { connections: 6, requests: 300 }, { ...options, mix: WEIGHTED });
    const { measurement } = await engine.run(load, aContext(children));
    await target.drained();
    expect(asked.counts()).toEqual(SHARES_OF_300);
    expect(measurement.mix?.map(({ name }) => name)).toEqual(WEIGHTED.map(({ name }) => name));
    expect(byName(measurement, "sent")).toEqual(SHARES_OF_300);
    expect(byName(measurement, "ok")).toEqual(SHARES_OF_300);
    expectWhole(measurement);
    expectSameAccounts(measurement, target.log);
    expectSameBytes(measurement, target.log);
  });

  it.each([1, 3])("keeps to the shares in an open loop, by %i generators", async (generators) => {
    const asked = counting();
    const target = await serve(({ path }) => {
      asked.add(path);
      return answer();
    });
    const load = aLoad(target.url, { rate: 1000, requests: 300 }, { arrival: ARRIVAL, generators, mix: WEIGHTED });
    const { measurement } = await engine.run(load, aContext(children));
    await target.drained();
    expect(byName(measurement, "sent")).toEqual(SHARES_OF_300);
    expect(asked.counts()).toEqual(SHARES_OF_300);
    expectWhole(measurement);
    expectSameAccounts(measurement, target.log);
  });

  it("agrees with the server on every entry when it is cut, but for what is in flight", async () => {
    const asked = counting();
    const target = await serve(({ path }) => {
      asked.add(path);
      return answer({ delayMs: path === "/a" ? 5 : 1 });
    });
    const load = aLoad(target.url, { connections: 8, durationMs: 300 }, { generators: 2, mix: WEIGHTED });
    const { measurement } = await engine.run(load, aContext(children));
    await target.drained();
    expectWhole(measurement);
    for (const { name, sent, ok } of measurement.mix ?? []) {
      expect(asked.counts()[name]).toBeLessThanOrEqual(sent);
      expect(asked.counts()[name]).toBeGreaterThanOrEqual(ok);
      // Less than one off for every generator.
      const share = (WEIGHTED.find((entry) => entry.name === name)?.weight ?? 0) / 10;
      expect(Math.abs(sent - share * measurement.requests.sent)).toBeLessThan(2);
    }
  });

  it("is shared by the users of a ramp as they come", async () => {
    const asked = counting();
    const target = await serve(({ path }) => {
      asked.add(path);
      return answer({ delayMs: 1 });
    });
    const ramp = { from: 1, riseMs: 200, steps: null };
    const load = aLoad(
      target.url,
      { users: 4, durationMs: 400 },
      { ramp, atEnd: "drain", generators: 2, mix: WEIGHTED },
    );
    const { measurement } = await engine.run(load, aContext(children));
    await target.drained();
    expectWhole(measurement);
    expect(byName(measurement, "sent")).toEqual(asked.counts());
    for (const { name, weight } of WEIGHTED) {
      const share = (weight / 10) * measurement.requests.sent;
      expect(Math.abs((asked.counts()[name] ?? 0) - share)).toBeLessThan(2);
    }
  });

  it("counts failures where they belong, and only there", async () => {
    const mix = [
      anEntry("/good"),
      anEntry("/error"),
      anEntry("/gone", { expectStatus: "404" }),
      anEntry("/other", { expectBody: "bonjour" }),
      anEntry("/same", { expectBody: "hello" }),
      anEntry("/dropped"),
      anEntry("/silent"),
    ];
    const behaviours = new Map<string, () => Action>([
      ["/error", () => answer({ status: 503, outcome: "non2xx" })],
      ["/gone", () => answer({ status: 404 })],
      ["/other", () => answer({ outcome: "mismatched" })],
      ["/dropped", () => hangUp("fin")],
      ["/silent", hang],
    ]);
    const target = await serve(({ path }) => behaviours.get(path)?.() ?? answer());
    const options = { mix, generators: 2, timeoutMs: 1000 };
    const load = aLoad(target.url, { connections: 4, requests: 84 }, options);
    const { measurement } = await engine.run(load, aContext(children));
    await target.drained();
    expect(byName(measurement, "ok")).toEqual({ "/good": 12, "/gone": 12, "/same": 12 });
    expect(byName(measurement, "failed")).toEqual({ "/error": 12, "/other": 12, "/dropped": 12, "/silent": 12 });
    expectWhole(measurement);
    expect(measurement.requests).toMatchObject({ non2xx: 12, mismatched: 12, dropped: 12, timedOut: 12 });
  });

  it("counts what finds no connection by entry as well", async () => {
    const port = await closedPort();
    const mix = [anEntry("/a"), anEntry("/b")];
    const load = aLoad(`http://127.0.0.1:${port}/`, { connections: 2, requests: 4 }, { mix });
    const { measurement } = await engine.run(load, aContext(children));
    expect(measurement.requests.connectErrors).toBe(4);
    expect(byName(measurement, "failed")).toEqual({ "/a": 2, "/b": 2 });
    expectWhole(measurement);
  });

  it("reads the answers to HEAD among those to other methods", async () => {
    const methods = counting();
    const target = await serve(({ method }) => {
      methods.add(method);
      return method === "HEAD" ? { ...answer({ payload: "" }), bodyBytes: 0 } : answer();
    });
    const mix = [anEntry("/"), anEntry("/head", { method: "HEAD" }), anEntry("/put", { method: "PUT", body: "x" })];
    const { measurement } = await engine.run(
      aLoad(target.url, { connections: 3, requests: 60 }, { mix }),
      aContext(children),
    );
    await target.drained();
    expect(methods.counts()).toEqual({ GET: 20, HEAD: 20, PUT: 20 });
    expect(byName(measurement, "ok")).toEqual({ "/": 20, "/head": 20, "/put": 20 });
    expectSameAccounts(measurement, target.log);
    expectSameBytes(measurement, target.log);
  });

  it("sends bodies in turn, byte for byte, each entry its own", async () => {
    const bodies = new Map<string, string[]>();
    const target = await serve(({ path, body }) => {
      bodies.set(path, [...(bodies.get(path) ?? []), body.toString("base64")]);
      return answer();
    });
    const bytes = [Buffer.from([0, 255, 13, 10]), Buffer.alloc(0), Buffer.from([200])].map((one) =>
      one.toString("base64"),
    );
    const mix = [
      anEntry("/text", { method: "POST", bodies: ["one", "zwölf"], weight: 2 }),
      anEntry("/bytes", { method: "PUT", bodies: bytes, bodyEncoding: "base64" }),
      anEntry("/always", { method: "POST", body: "the same" }),
    ];
    await engine.run(aLoad(target.url, { connections: 1, requests: 20 }, { mix }), aContext(children));
    const text = ["one", "zwölf"].map((one) => Buffer.from(one).toString("base64"));
    expect(bodies.get("/text")).toEqual([...text, ...text, ...text, ...text, ...text]);
    expect(bodies.get("/bytes")).toEqual([...bytes, ...bytes].slice(0, 5));
    expect(bodies.get("/always")).toEqual(Array.from({ length: 5 }, () => Buffer.from("the same").toString("base64")));
  });

  it("sends every body once before any comes again, also when several generators send them", async () => {
    const seen: string[] = [];
    const target = await serve(({ body }) => {
      seen.push(body.toString());
      return answer();
    });
    const bodies = Array.from({ length: 31 }, (_, index) => `body ${index}`);
    const mix = [anEntry("/", { method: "POST", bodies })];
    const load = aLoad(target.url, { connections: 3, requests: 31 }, { mix, generators: 3 });
    await engine.run(load, aContext(children));
    expect(seen.toSorted()).toEqual(bodies.toSorted());
  });

  it("tells latencies of entries apart, and has zeros for what was never sent", async () => {
    const slowMs = 200;
    const target = await serve(({ path }) => answer({ delayMs: path === "/slow" ? slowMs : 0 }));
    const mix = [
      anEntry("/quick", { weight: 1000 }),
      anEntry("/slow", { weight: 1000 }),
      anEntry("/rare", { weight: 1 }),
    ];
    const load = aLoad(target.url, { connections: 2, requests: 8 }, { mix, generators: 2 });
    const { measurement } = await engine.run(load, aContext(children));
    const [quick, slow, rare] = measurement.mix ?? [];
    expect(slow?.latency?.min).toBeGreaterThanOrEqual(slowMs * 0.99);
    expect(quick?.latency?.min).toBeLessThan(slowMs);
    expect(quick).toMatchObject({ sent: 4, ok: 4, failed: 0 });
    expect(rare).toEqual({ name: "/rare", sent: 0, ok: 0, failed: 0 });
  });

  it("sends to the host of a URL that has a path of its own", async () => {
    const asked = counting();
    const target = await serve(({ path }) => {
      asked.add(path);
      return answer();
    });
    const mix = [anEntry("/a"), anEntry("//b")];
    await engine.run(aLoad(`${target.url}own?path=1`, { connections: 1, requests: 2 }, { mix }), aContext(children));
    expect(asked.counts()).toEqual({ "/a": 1, "//b": 1 });
  });

  it("says nothing of entries without a mix", async () => {
    const target = await serve(() => answer());
    const { measurement } = await engine.run(aLoad(target.url, { connections: 1, requests: 2 }), aContext(children));
    expect(measurement).not.toHaveProperty("mix");
  });
});
