import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import type { BalancerOptions } from "../options/options.js";
import { roundRobin } from "../policies/in-turn.js";
import { parsePolicy } from "../policies/parse-policy.js";
import type { Policy } from "../policies/policy.js";
import { GONE_URL, startBackend, startBalancer, startHolding, startNamed } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { openWebSocket, startEcho } from "../test-support/web-sockets.js";
import { get, plainAnswer, say, startWireBackend, wireClient } from "../test-support/wire.js";

/**
 * Starts a balancer whose policy is round robin, and notes what it is told, as `a began`, `a answering`, `a answered 200 waited`. A server
 * without a name is `a`.
 */
async function startNoting(options: Partial<BalancerOptions>, ...servers: readonly { url: string; name?: string }[]) {
  const told: string[] = [];
  const policy: Policy = {
    name: "noting",
    create: () => ({
      ...roundRobin().create(),
      began: ({ name }) => told.push(`${name} began`),
      answering: ({ name }) => told.push(`${name} answering`),
      ended: ({ name }, { outcome, status, waitedMs, grpcStatus }) => {
        const words = [name, outcome, status || "", waitedMs === undefined ? "" : "waited", grpcStatus ?? ""];
        told.push(words.filter((word) => word !== "").join(" "));
      },
    }),
  };
  const backends = servers.map(({ url, name = "a" }) => ({ url, name }));
  return { told, ...(await startBalancer({ ...options, policy, backends })) };
}

const GONE = { url: GONE_URL, name: "gone" };
const ANSWERED = ["a began", "a answering", "a answered 200 waited"];

describe.each(TRANSPORTS)("a policy over %s is told", (transport) => {
  it("of an answer, whatever its status", async () => {
    const a = await startWireBackend(({ target }) =>
      target === "/" ? plainAnswer("a") : plainAnswer("a").replace("200 OK", "503 Busy"),
    );
    const { told, port } = await startNoting({ transport }, a);
    await say(port, get());
    await say(port, get().replace("GET /", "GET /busy"));
    expect(told).toEqual([...ANSWERED, "a began", "a answering", "a answered 503 waited"]);
  });

  it("of a request that fails, and begins anew at the next backend", async () => {
    const { told, port } = await startNoting({ transport }, GONE, ...(await startNamed("a")));
    expect(await say(port, get())).toMatch(/^HTTP\/1\.1 200 /);
    expect(told).toEqual(["gone began", "gone failed", ...ANSWERED]);
  });

  it("of an upgrade, which is answered when the backend agrees and ends with the tunnel", async () => {
    const { told, url } = await startNoting({ transport }, await startEcho());
    const socket = await openWebSocket(url);
    expect(told).toEqual(["a began", "a answering"]);
    socket.close();
    await expectSoon(() => told).toEqual(["a began", "a answering", "a answered 101 waited"]);
  });

  it("of a request that waits for a backend that goes out, and is then given another one", async () => {
    const a = await startHolding();
    const limits = { connectionsPerBackend: 1 };
    const { told, port, addBackend, drainBackend } = await startNoting({ transport, limits }, a);
    const first = say(port, get());
    await expectSoon(() => a.held.length).toBe(1);
    const second = say(port, get());
    await expectSoon(() => told).toEqual(["a began", "a began"]);
    const [b] = await startNamed("b");
    addBackend({ url: b.url, name: "b" });
    const drained = drainBackend("a");
    expect(await second).toMatch(/b$/);
    a.letGo();
    await Promise.all([first, drained]);
    const afterIt = "a failed, b began, b answering, b answered 200 waited, a answering, a answered 200 waited";
    expect(told.slice(2).join(", ")).toBe(afterIt);
  });
});

it("a policy is told of connections in mode tcp: answered when they are made, ended when they end", async () => {
  const { told, port } = await startNoting({ mode: "tcp" }, GONE, ...(await startNamed("a")));
  const client = wireClient(port);
  await expectSoon(() => told).toEqual(["gone began", "gone failed", "a began", "a answering"]);
  client.socket.end(get());
  await client.ended();
  await expectSoon(() => told.slice(4)).toEqual(["a answered waited"]);
});

/** Starts backends `a`, `b` and `c` that count what they are asked; `answerOfB` is how the second one answers. */
async function startThree(answerOfB: (answer: ServerResponse) => void) {
  const served = { a: 0, b: 0, c: 0 };
  const start = async (name: keyof typeof served) => {
    const { url } = await startBackend((_, answer) => {
      served[name] += 1;
      if (name === "b") answerOfB(answer);
      else answer.end();
    });
    return { name, url };
  };
  return { served, backends: await Promise.all([start("a"), start("b"), start("c")]) };
}

/** Has eight clients ask, each one request after the other, until it is enough. */
async function askUntil(port: number, isEnough: () => boolean): Promise<void> {
  const client = async (): Promise<void> => {
    while (!isEnough()) await say(port, get());
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

it.each(["peak-ewma", "least-response-time"])("%s is told enough to leave a slow backend alone", async (name) => {
  let slowMs = 0;
  const answerOfB = (answer: ServerResponse): void =>
    void (slowMs === 0 ? answer.end() : setTimeout(() => answer.end(), slowMs));
  const { served, backends } = await startThree(answerOfB);
  const { port } = await startBalancer({ backends, policy: parsePolicy(`${name}:decay:300ms:seed:1`) });
  await askUntil(port, () => served.a > 20 && served.b > 20 && served.c > 20);
  slowMs = 1000;
  const before = { ...served };
  await askUntil(port, () => served.a + served.c - before.a - before.c > 300);
  // In turn it would be 150.
  expect(served.b - before.b).toBeLessThan(20);
  slowMs = 0;
  const slow = served.b;
  await askUntil(port, () => served.b - slow > 20);
});

describe.each(TRANSPORTS)("outliers over %s", (transport) => {
  const rules = { windowMs: 200, leastRequests: 5, ejectMs: 1000 };
  it.each<[string, "errors" | "latency", (answer: ServerResponse) => void]>([
    ["fails its requests", "errors", (answer) => answer.writeHead(500).end()],
    ["is slow", "latency", (answer) => void setTimeout(() => answer.end(), 150)],
  ])("are ejected, and come back: one that %s", async (_, reason, disturb) => {
    let isDisturbed = true;
    const { backends } = await startThree((answer) => void (isDisturbed ? disturb(answer) : answer.end()));
    const outliers = reason === "latency" ? rules : { ...rules, slowFactor: Infinity };
    const { port, snapshot } = await startBalancer({ transport, backends, health: { passive: false, outliers } });
    let ofB = snapshot().backends[1];
    await askUntil(port, () => {
      // It may be back by the time the last client has its answer.
      if (isDisturbed) ofB = snapshot().backends[1];
      isDisturbed = ofB?.condition !== "ejected";
      return !isDisturbed;
    });
    expect(ofB).toMatchObject({ ejectedFor: reason, ejections: { failures: 0, [reason]: 1 } });
    const requests = ofB?.requests ?? Infinity;
    await askUntil(port, () => (snapshot().backends[1]?.requests ?? 0) > requests + 5);
    expect(snapshot().backends[1]?.ejectedFor).toBeUndefined();
  });
});
