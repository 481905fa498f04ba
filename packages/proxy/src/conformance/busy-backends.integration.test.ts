import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import type { BalancerOptions } from "../options/options.js";
import { builtInPolicies, parsePolicy } from "../policies/parse-policy.js";
import { send } from "@lbbench/test-support/client.js";
import { GONE_URL, startBackend, startBalancer } from "../test-support/servers.js";
import { optionsFor, TRANSPORTS } from "../test-support/transports.js";
import { say } from "../test-support/wire.js";

const POLICIES = [...builtInPolicies.keys()];

const KINDS: readonly (readonly [string, Pick<BalancerOptions, "mode" | "transport" | "sockets">])[] = [
  ...TRANSPORTS.map((transport) => [`mode http by ${transport}`, optionsFor(transport)] as const),
  ["mode tcp", { mode: "tcp" }],
  ["mode tcp on public sockets", { mode: "tcp", sockets: "public" }],
];

/** Two backends that answer with their names at once, but keep requests with the query `hold` until they are let go. */
async function startTwo() {
  const held: { readonly name: string; readonly answer: ServerResponse }[] = [];
  const start = async (name: string) => {
    const { url } = await startBackend((request, answer) => {
      if (request.url?.endsWith("?hold") === true) held.push({ name, answer });
      else answer.end(name);
    });
    return { url, name };
  };
  const letGo = (): void => held.splice(0).forEach(({ name, answer }) => answer.end(name));
  return { backends: await Promise.all(["a", "b"].map(start)), held, letGo };
}

describe.each(KINDS)("a balancer in %s before busy backends", (_, kind) => {
  const isTcp = kind.mode === "tcp";

  /** Backends of which each serves one request at a time, and a client that has a connection for each of its requests. */
  async function startBusy(policy: string, queuePerBackend: number, more: Partial<BalancerOptions> = {}) {
    const two = await startTwo();
    const limits = { connectionsPerBackend: 1, queuePerBackend };
    const options = { ...kind, policy: parsePolicy(policy), limits, ...more };
    const balancer = await startBalancer({ backends: two.backends, ...options } as Parameters<typeof startBalancer>[0]);
    /** What a client gets: the body of the answer, or how it is refused. */
    const ask = async (query = ""): Promise<string> => {
      const answer = await send(`${balancer.url.replace("tcp:", "http:")}/${query}`, { agent: false }).catch(
        ({ code }: NodeJS.ErrnoException) => ({ status: 200, body: String(code) }),
      );
      return answer.status === 200 ? answer.body : `${answer.status}`;
    };
    /** Has one more backend be busy; resolves with its name, and what its client will get. */
    const hold = async () => {
      const count = two.held.length;
      const answer = ask("?hold");
      await expectSoon(() => two.held.length).toBe(count + 1);
      return { name: two.held[count]?.name ?? "", answer };
    };
    const queued = () => balancer.snapshot().backends.reduce((sum, backend) => sum + backend.queued, 0);
    return { ...balancer, ...two, ask, hold, queued };
  }

  const REFUSED = isTcp ? "ECONNRESET" : "503";

  it.each(POLICIES)("answers all from the one that is free, and refuses none: %s", async (policy) => {
    const { ask, hold, letGo, stats } = await startBusy(policy, 0);
    const { name, answer } = await hold();
    const free = name === "a" ? "b" : "a";
    const answers: string[] = [];
    for (let asked = 0; asked < 20; asked++) answers.push(await ask());
    expect(answers).toEqual(Array.from({ length: 20 }, () => free));
    letGo();
    expect(await answer).toBe(name);
    await expectSoon(stats).toMatchObject({
      [name]: { requests: 1, errors: 0, inFlight: 0 },
      [free]: { requests: 20, errors: 0, inFlight: 0 },
    });
  });

  it.each(POLICIES)("has a request wait when all are busy, and refuses it when nobody may wait: %s", async (policy) => {
    const waiting = await startBusy(policy, 1);
    const first = [await waiting.hold(), await waiting.hold()];
    expect(first.map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
    const others = [waiting.ask(), waiting.ask()];
    await expectSoon(waiting.queued).toBe(2);
    expect(await waiting.ask()).toBe(REFUSED);
    waiting.letGo();
    expect((await Promise.all(others)).toSorted()).toEqual(["a", "b"]);

    const refusing = await startBusy(policy, 0);
    await refusing.hold();
    await refusing.hold();
    expect(await refusing.ask()).toBe(REFUSED);
    refusing.letGo();
  });

  const STICKING = isTcp ? ["ip-hash"] : ["ip-hash", "consistent-hash"];
  it.each(STICKING)("has a request that sticks wait for its own backend, if it is told so: %s", async (policy) => {
    const { ask, hold, held, letGo, queued } = await startBusy(policy, 1, { whenFull: "wait" });
    const { name, answer } = await hold();
    const waiting = ask();
    await expectSoon(queued).toBe(1);
    expect([await ask(), held.length]).toEqual([REFUSED, 1]);
    letGo();
    expect(await Promise.all([answer, waiting])).toEqual([name, name]);
  });

  it("gives a request that a backend has failed to the one that is free, or says how it failed", async () => {
    const { ask, hold, letGo, addBackend, removeBackend, stats } = await startBusy("round-robin", 0);
    const { name } = await hold();
    addBackend({ url: GONE_URL, name: "gone" });
    const answers: string[] = [];
    while ((stats()["gone"]?.requests ?? 0) < 2) answers.push(await ask());
    expect(new Set(answers)).toEqual(new Set([name === "a" ? "b" : "a"]));
    await removeBackend(name === "a" ? "b" : "a");
    expect(await ask()).toBe(isTcp ? "ECONNRESET" : "502");
    expect(stats()[name]).toMatchObject({ requests: 1, errors: 0 });
    letGo();
  });
});

describe("the backend of a relayed connection", () => {
  it("may have the next one as soon as it has ended this one, also if its client has not", async () => {
    const { backends } = await startTwo();
    const limits = { connectionsPerBackend: 1, queuePerBackend: 0 };
    const { port, stats } = await startBalancer({ mode: "tcp", backends: backends.slice(0, 1), limits });
    const asking = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    for (let asked = 0; asked < 5; asked++) expect(await say(port, asking)).toMatch(/\r\n\r\na$/);
    expect(stats()["a"]).toMatchObject({ requests: 5, errors: 0, inFlight: 5 });
  });
});
