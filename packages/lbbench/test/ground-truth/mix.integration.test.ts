import { describe, expect, it } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { MixedRequest, RequestSpec } from "../../src/model/scenario.js";
import { aRequest } from "../../src/test-support/fixtures.js";
import { answer, hang, hangUp, type Action } from "../../src/testing/ground-truth/action.js";
import { expectConservation, expectSameAccounts, expectSameBytes } from "./expect-accounts.js";
import { startTruthServer } from "../../src/testing/ground-truth/truth-server.js";
import { measure, type LoadOptions } from "./measure.js";
import type { Level } from "../../src/model/level.js";
import type { ReadRequest } from "../../src/testing/ground-truth/request-reader.js";
import { HTTP1_SUBJECTS } from "./subjects.js";

interface EntryOptions extends Partial<RequestSpec> {
  readonly weight?: number;
  readonly bodies?: readonly string[];
}

/** An entry that is called as its path is. */
function anEntry(path: string, { weight = 1, bodies, ...request }: EntryOptions = {}): MixedRequest {
  return { name: path, weight, request: { ...aRequest(request), path }, bodies: bodies ?? null };
}

/** How often each of these there is. */
function counts(keys: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...new Set(keys)].map((key) => [key, keys.filter((other) => other === key).length]));
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
const RAMP = { from: 1, riseMs: 60, steps: null };

describe.each(HTTP1_SUBJECTS.filter(({ engine }) => engine.supports.mixes))("$name with a mix", (subject) => {
  /** Lets it send to a server that tells what it was asked for. */
  const ask = async (
    behaviour: (request: ReadRequest) => Action,
    level: Level,
    options: LoadOptions,
  ): Promise<Awaited<ReturnType<typeof measure>> & { readonly asked: readonly ReadRequest[] }> => {
    const asked: ReadRequest[] = [];
    const server = startTruthServer((_, request) => {
      asked.push(request);
      return behaviour(request);
    });
    return { ...(await measure(subject, server, level, options)), asked };
  };

  it.each<[string, Level, LoadOptions]>([
    ["a closed loop", { connections: 6, requests: 300 }, {}],
    ["a connection for each request", { connections: 6, requests: 300 }, { keepAlive: false }],
    ["an open loop", { rate: 1500, requests: 300 }, {}],
    ["a time that is cut", { connections: 6, durationMs: 100 }, {}],
    ["a ramp", { users: 4, durationMs: 150 }, { ramp: RAMP, atEnd: "drain" }],
  ])("sends the shares that the weights ask for, in %s", async (_, level, options) => {
    const { measurement, log, asked } = await ask(() => answer(), level, { ...options, mix: WEIGHTED });
    const { requests, mix = [] } = measurement;
    expect(mix.map(({ name }) => name)).toEqual(WEIGHTED.map(({ name }) => name));
    for (const [index, { sent }] of mix.entries()) {
      const share = ((WEIGHTED[index]?.weight ?? Number.NaN) / 10) * requests.sent;
      expect(Math.abs(sent - share)).toBeLessThan(1);
    }
    expectWhole(measurement);
    if (requests.inFlight > 0) return;
    expect(byName(measurement, "sent")).toEqual(counts(asked.map(({ path }) => path)));
    expectSameAccounts(measurement, log);
    expectSameBytes(measurement, log);
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
    const level = { connections: 6, requests: 42 };
    const behave = ({ path }: ReadRequest): Action => behaviours.get(path)?.() ?? answer();
    const { measurement } = await ask(behave, level, { mix, timeoutMs: 1000 });
    expect(byName(measurement, "ok")).toEqual({ "/good": 6, "/gone": 6, "/same": 6 });
    expect(byName(measurement, "failed")).toEqual({ "/error": 6, "/other": 6, "/dropped": 6, "/silent": 6 });
    expect(measurement.requests).toMatchObject({ non2xx: 6, mismatched: 6, dropped: 6, timedOut: 6 });
    expectWhole(measurement);
  });

  it("reads the answers to HEAD among those to other methods, and sends the bodies of an entry in turn", async () => {
    const behave = ({ method }: ReadRequest): Action =>
      method === "HEAD" ? { ...answer({ payload: "" }), bodyBytes: 0 } : answer();
    const bodies = ["one", "two", "three"];
    const mix = [anEntry("/"), anEntry("/head", { method: "HEAD" }), anEntry("/put", { method: "PUT", bodies })];
    const { measurement, log, asked } = await ask(behave, { connections: 2, requests: 27 }, { mix });
    expect(counts(asked.map(({ method, body }) => `${method} ${String(body)}`))).toEqual({
      "GET ": 9,
      "HEAD ": 9,
      "PUT one": 3,
      "PUT two": 3,
      "PUT three": 3,
    });
    expectSameAccounts(measurement, log);
    expectSameBytes(measurement, log);
  });
});
