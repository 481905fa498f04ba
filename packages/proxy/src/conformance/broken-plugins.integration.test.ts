import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import type { Picker, Policy } from "../policies/policy.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { asBackends, GONE_URL, startBalancer, startNamed } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { get, say, wireClient } from "../test-support/wire.js";

const boom = (): never => {
  throw new Error("boom");
};

const UNEXPECTED = 'The policy "broken" failed: pick: expected one of the backends or undefined, got';
/** What goes wrong, and what is told of it. */
const BROKEN_PICKS: readonly (readonly [what: string, pick: () => unknown, told: string])[] = [
  ["throws", boom, 'The policy "broken" failed: boom'],
  ["rejects", async () => boom(), `${UNEXPECTED} a promise.`],
  ["returns null", () => null, `${UNEXPECTED} null.`],
  ["returns a copy", () => ({ name: "a", available: true }), UNEXPECTED],
];

let warnings: string[] = [];
const onWarning = ({ name, message }: Error): void => void (name === "BalancerWarning" && warnings.push(message));
beforeEach(() => {
  warnings = [];
  process.on("warning", onWarning);
});
afterEach(() => void process.off("warning", onWarning));

/** A policy that does what it should not. */
function broken(picker: object): Policy {
  return { name: "broken", create: () => picker as Picker };
}

/** One that does something else the first times that it is asked. */
function breaking(pick: () => unknown, times: number): Policy {
  let asked = 0;
  return broken({ pick: (backends: readonly unknown[]) => (asked++ < times ? pick() : backends.at(-1)) });
}

/** Starts a balancer before the backend `a`. */
async function startBeforeA(options: Partial<BalancerOptions>) {
  return startBalancer({ ...options, backends: asBackends(await startNamed("a")) });
}

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  it.each(BROKEN_PICKS)("answers with 500 when its policy %s, warns, and goes on", async (_, pick, told) => {
    const policy = breaking(pick, 2);
    const { port, entries, snapshot } = await startBeforeA({ transport, policy, errorDetails: false });
    const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const client = wireClient(port, request);
    await client.until(/^HTTP\/1\.1 500 [^]*\r\n\r\nThe balancer could not choose a backend\.\n$/);
    client.write(request);
    await client.until(/HTTP\/1\.1 500 [^]*HTTP\/1\.1 500 [^]*\n$/);
    client.write(get());
    expect(await client.ended()).toMatch(/HTTP\/1\.1 200 [^]*a$/);
    await expectSoon(() => entries).toMatchObject([
      { status: 500, error: expect.stringContaining(told) },
      { status: 500 },
      { status: 200, backend: "a" },
    ]);
    expect(snapshot()).toMatchObject({ refused: { "500": 2 }, backends: [{ requests: 1, errors: 0, inFlight: 0 }] });
    await expectSoon(() => warnings.join("\n")).toContain(told.includes("boom") ? "boom" : "pick: expected");
    // Trouble of one kind is told once a second.
    expect(warnings.filter((text) => text.includes("failed"))).toHaveLength(1);
  });

  it("answers with 500 when its policy throws as another backend is to be picked", async () => {
    const backends = [{ url: GONE_URL, name: "gone" }, ...asBackends(await startNamed("well"))];
    let asked = 0;
    const policy = broken({ pick: (list: readonly unknown[]) => (asked++ === 0 ? list[0] : boom()) });
    const { port, stats, entries } = await startBalancer({ transport, backends, policy });
    expect(await say(port, get())).toMatch(/^HTTP\/1\.1 500 [^]*boom\n$/);
    expect(stats()).toMatchObject({ gone: { requests: 1, errors: 1, inFlight: 0 }, well: { requests: 0 } });
    // It was sent nowhere else.
    await expectSoon(() => entries).toMatchObject([{ backend: "gone" }]);
    expect(entries[0]?.retries ?? 0).toBe(0);
  });

  it.each(["began", "answering", "ended"])("answers although its policy throws as it is told: %s", async (event) => {
    const policy = broken({ pick: (list: readonly unknown[]) => list[0], [event]: boom });
    const { port, stats } = await startBeforeA({ transport, policy });
    for (let asked = 1; asked <= 2; asked++) expect(await say(port, get())).toMatch(/^HTTP\/1\.1 200 /);
    expect(stats()).toMatchObject({ a: { requests: 2, errors: 0, inFlight: 0 } });
    const warning = /^The policy "broken" failed as it was told of a request: Error: boom/;
    await expectSoon(() => warnings).toEqual([expect.stringMatching(warning)]);
  });

  it.each([
    ["throws", boom],
    ["rejects", async () => boom()],
  ])("answers all the same when onRequest %s, and warns", async (_, onRequest) => {
    const options = { transport, onRequest };
    const { port, snapshot } = await startBeforeA(options);
    expect(await say(port, get())).toMatch(/^HTTP\/1\.1 200 /);
    expect(await say(port, "NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    await expectSoon(() => warnings).toMatchObject([expect.stringMatching(/^onRequest failed: Error: boom/)]);
    await expectSoon(() => snapshot().connections).toBe(0);
  });
});

describe("a balancer in mode tcp", () => {
  it.each(BROKEN_PICKS)("resets a connection when its policy %s, warns, and goes on", async (_, pick, told) => {
    const { port, entries } = await startBeforeA({ mode: "tcp", policy: breaking(pick, 1) });
    const client = wireClient(port, get());
    expect(await client.ended()).toBe("");
    expect(client.broken()).toBe("ECONNRESET");
    expect(await say(port, get())).toMatch(/^HTTP\/1\.1 200 /);
    expect(entries[0]).toMatchObject({ error: expect.stringContaining(told) });
    await expectSoon(() => warnings.length).toBeGreaterThan(0);
  });

  it("goes on when onRequest throws or rejects", async () => {
    for (const onRequest of [boom, (() => Promise.reject(new Error("boom"))) as () => void]) {
      const { port } = await startBeforeA({ mode: "tcp", onRequest });
      for (let i = 0; i < 2; i++) {
        const client = wireClient(port);
        client.socket.end(get());
        expect(await client.ended()).toMatch(/^HTTP\/1\.1 200 /);
      }
    }
    // Each balancer tells of it once a second.
    await expectSoon(() => warnings.length).toBe(2);
  });
});
