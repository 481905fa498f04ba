import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import type { BalancerOptions, HealthOptions } from "../options/options.js";
import { roundRobin } from "../policies/in-turn.js";
import { parsePolicy } from "../policies/parse-policy.js";
import type { Policy } from "../policies/policy.js";
import { askHttp2, openHttp2 } from "../test-support/http2-client.js";
import { GONE_URL, startBackend, startBalancer, startNamed, startRawBackend } from "../test-support/servers.js";
import { TRANSPORTS, type Transport } from "../test-support/transports.js";
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
        const more = [status || "", waitedMs === undefined ? "" : "waited", grpcStatus ?? ""].filter(
          (text) => text !== "",
        );
        told.push([name, outcome, ...more].join(" "));
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

  it("of an answer that breaks off", async () => {
    const half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
    const a = await startRawBackend((socket) => socket.once("data", () => socket.end(half)));
    const { told, port } = await startNoting({ transport }, a);
    expect(await say(port, get())).toMatch(/half$/);
    expect(told).toEqual(["a began", "a answering", "a failed waited"]);
  });

  it("of a client that goes away before the answer, and in the middle of it", async () => {
    const a = await startBackend(({ url }, response) => void (url === "/half" && response.write("half")));
    const { told, port } = await startNoting({ transport }, a);
    const client = wireClient(port, get());
    await expectSoon(() => told).toEqual(["a began"]);
    client.reset();
    await expectSoon(() => told).toEqual(["a began", "a aborted"]);
    const second = wireClient(port, get().replace("GET /", "GET /half"));
    await second.until(/half/);
    second.reset();
    await expectSoon(() => told.slice(2)).toEqual(["a began", "a answering", "a aborted waited"]);
  });

  it("of an upgrade, which is answered when the backend agrees and ends with the tunnel", async () => {
    const { told, url } = await startNoting({ transport }, await startEcho());
    const socket = await openWebSocket(url);
    expect(told).toEqual(["a began", "a answering"]);
    socket.close();
    await expectSoon(() => told).toEqual(["a began", "a answering", "a answered 101 waited"]);
  });

  it("of each stream of HTTP/2", async () => {
    const { told, url } = await startNoting({ transport }, ...(await startNamed("a", "b")));
    const session = await openHttp2(url);
    await Promise.all([askHttp2(session, { ":path": "/" }), askHttp2(session, { ":path": "/" })]);
    expect(told.toSorted()).toEqual([...ANSWERED, ...ANSWERED.map((text) => text.replace(/^a/, "b"))].toSorted());
  });

  it("of a request that waits for a backend that goes out, and is then given another one", async () => {
    const held: (() => void)[] = [];
    const a = await startBackend((_, response) => void held.push(() => response.end("a")));
    const limits = { connectionsPerBackend: 1 };
    const { told, port, addBackend, drainBackend } = await startNoting({ transport, limits }, a);
    const first = say(port, get());
    await expectSoon(() => held.length).toBe(1);
    const second = say(port, get());
    await expectSoon(() => told).toEqual(["a began", "a began"]);
    const [b] = await startNamed("b");
    if (b !== undefined) addBackend({ url: b.url, name: "b" });
    const drained = drainBackend("a");
    expect(await second).toMatch(/b$/);
    held[0]?.();
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

it.each(["peak-ewma:decay:300ms:seed:1", "least-response-time:decay:300ms:seed:1"])(
  "%s gives a backend that turns slow next to nothing, and its share when it is fast again",
  async (text) => {
    const served = { a: 0, b: 0, c: 0 };
    let slowMs = 0;
    const backends = await Promise.all(
      (["a", "b", "c"] as const).map(async (name) => {
        const { url } = await startBackend((_, response) => {
          served[name] += 1;
          setTimeout(() => response.end(name), name === "b" ? slowMs : 0);
        });
        return { name, url };
      }),
    );
    const { port } = await startBalancer({ backends, policy: parsePolicy(text) });
    /** Four clients ask until enough has been served; those who wait for a slow answer go on waiting. */
    const askUntil = async (isEnough: () => boolean): Promise<void> => {
      const waiting = Array.from({ length: 4 }, async () => {
        while (!isEnough()) await say(port, get());
      });
      await Promise.race([expectSoon(isEnough).toBe(true), Promise.all(waiting)]);
      clients.push(...waiting);
    };
    const clients: Promise<void>[] = [];
    await askUntil(() => served.a > 20 && served.b > 20 && served.c > 20);
    slowMs = 2000;
    const before = { ...served };
    await askUntil(() => served.a + served.c - before.a - before.c > 300);
    // In turn it would be 150.
    expect(served.b - before.b).toBeLessThan(20);
    slowMs = 0;
    const slow = served.b;
    await askUntil(() => served.b - slow > 20);
    await Promise.all(clients);
  },
);

/** Asks three backends, of which `b` does something else for a while, and waits until it has been ejected and is back. */
async function ejectAndTakeBack(
  transport: Transport,
  health: HealthOptions,
  disturb: (answer: ServerResponse) => void,
) {
  let isDisturbed = true;
  const backends = await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      const { url } = await startBackend((_, response) => {
        if (name === "b" && isDisturbed) disturb(response);
        else response.end(name);
      });
      return { name, url };
    }),
  );
  const { port, snapshot } = await startBalancer({ transport, backends, health });
  const ofB = () => snapshot().backends.find(({ name }) => name === "b");
  const askUntil = async (isEnough: () => boolean): Promise<void> => {
    const clients = Array.from({ length: 8 }, async () => {
      while (!isEnough()) await say(port, get());
    });
    await Promise.all(clients);
  };
  // It may be back by the time the last client has its answer.
  let ejected = ofB();
  await askUntil(() => {
    const now = ofB();
    if (now?.condition === "ejected" && ejected?.condition !== "ejected") ejected = now;
    return ejected?.condition === "ejected";
  });
  isDisturbed = false;
  let whileOut = ejected;
  const answers: (string | undefined)[] = [];
  for (let asked = 0; asked < 30; asked++) {
    answers.push((await say(port, get())).at(-1));
    const now = ofB();
    if (now?.condition === "ejected") whileOut = now;
  }
  await askUntil(() => (ofB()?.requests ?? 0) > (ejected?.requests ?? 0) + 5);
  return { ejected, whileOut, answers, back: ofB() };
}

describe.each(TRANSPORTS)("outliers over %s", (transport) => {
  const rules = { windowMs: 200, leastRequests: 5, ejectMs: 1000 };
  it.each<[string, "errors" | "latency", (answer: ServerResponse) => void]>([
    ["fails its requests", "errors", (answer) => answer.writeHead(500).end()],
    ["is slow", "latency", (answer) => void setTimeout(() => answer.end("b"), 150)],
  ])("are ejected, with no request for them, and come back: one that %s", async (_, reason, disturb) => {
    const slow = reason === "latency" ? {} : { slowFactor: Infinity };
    const health = { passive: false, outliers: { ...rules, ...slow } } as const;
    const { ejected, whileOut, answers, back } = await ejectAndTakeBack(transport, health, disturb);
    expect(ejected).toMatchObject({
      condition: "ejected",
      ejectedFor: reason,
      ejections: { failures: 0, [reason]: 1 },
    });
    expect(whileOut?.requests).toBe(ejected?.requests);
    expect(answers.join("")).toMatch(/^[abc]{30}$/);
    expect(back?.ejectedFor).toBeUndefined();
  });
});
