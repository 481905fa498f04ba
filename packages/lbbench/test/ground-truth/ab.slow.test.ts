import { describe, expect, it, onTestFinished, vi } from "vitest";
import { abEngine as engine } from "../../src/engines/ab/engine.js";
import type { Level } from "../../src/model/level.js";
import { useOwnTemporaryFolder } from "../../src/servers/test-support/own-temporary-folder.js";
import { runningOf } from "../../src/testing/contract.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { runCli, startCli } from "../support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { answer, hang, hangUp, type Action } from "../../src/testing/ground-truth/action.js";
import { everyNth } from "../../src/testing/ground-truth/cases.js";
import { startTruthServer, type Behaviour, type ReachOptions } from "../../src/testing/ground-truth/truth-server.js";
import { aLoad, type LoadOptions } from "./measure.js";
import type { ReadRequest } from "../../src/testing/ground-truth/request-reader.js";
import type { TruthServer } from "../../src/testing/ground-truth/server-log.js";

const CONNECTIONS = 10;
const REQUESTS = 500;
/** Whole seconds, which ab can do. */
const TIMEOUT_MS = 5000;

const KEPT_HEADERS = ["Connection: keep-alive", "Content-Length: 5"];
/** An answer that ab, which speaks HTTP/1.0, knows to be the last word or not. */
const HELLO = answer({ headers: KEPT_HEADERS });
const CLOSING = answer({ headers: ["Connection: close", "Content-Length: 5"], close: true });
/** With an empty line at its end, ab takes it for an answer with another status. */
const NOT_HTTP: Action = { ...hangUp("fin"), outcome: "mismatched", bytes: Buffer.from("SSH-2.0-OpenSSH_9.2\r\n") };

type Options = LoadOptions & { readonly level?: Level };

/** Starts a server that is closed when the test has finished. */
async function start(behaviour: Behaviour = () => HELLO, reach: ReachOptions = {}): Promise<TruthServer> {
  const server = await startTruthServer(behaviour, reach);
  onTestFinished(server.close);
  return server;
}

/** Lets ab send a load, of so many requests unless it is told otherwise. */
function runAb(url: string, { level = { connections: CONNECTIONS, requests: REQUESTS }, ...rest }: Options = {}) {
  const load = aLoad(url, level, { timeoutMs: TIMEOUT_MS, options: engine.options?.parse({}) ?? {}, ...rest });
  const children = { acquire: () => [], close: async () => {} };
  return engine.run(load, { children, folder: process.cwd(), signal: new AbortController().signal });
}

async function measure(behaviour: Behaviour, options?: Options, reach?: ReachOptions) {
  const { url, log, drained } = await start(behaviour, reach);
  const beforeMs = performance.now();
  const { measurement } = await runAb(url, options);
  const wallMs = performance.now() - beforeMs;
  await drained();
  const { sent, ...outcomes } = measurement.requests;
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
  return { measurement, log, wallMs };
}

describe.runIf(needs("ab"))("the engine ab", () => {
  const temporary = useOwnTemporaryFolder();

  it.each([true, false])(
    "counts answers, their bytes and their rate as the server does, keep-alive %s",
    async (keepAlive) => {
      const action = keepAlive ? HELLO : CLOSING;
      const { measurement, log, wallMs } = await measure(() => action, { keepAlive });
      const { requests, bytes, elapsedMs, throughput, statusCodes } = measurement;
      expect(log.requests).toBe(requests.ok);
      expect(requests.ok).toBe(REQUESTS);
      expect(statusCodes).toEqual({});
      expect(bytes).toEqual({ body: REQUESTS * action.bodyBytes, received: log.writtenBytes });
      expect(elapsedMs).toBeLessThanOrEqual(wallMs);
      expect(elapsedMs).toBeGreaterThanOrEqual(log.lastAnswerMs - log.firstRequestMs - 1);
      expect(throughput).toBeCloseTo((requests.ok / elapsedMs) * 1000, 6);
    },
  );

  it("times answers as long as the server took, at least", async () => {
    const { measurement, log } = await measure(() => ({ ...HELLO, delay: 30 }));
    const { latency, elapsedMs } = measurement;
    const served = log.serviceMs.toSorted((a, b) => a - b);
    expect(latency?.min).toBeGreaterThanOrEqual((served[0] ?? Number.NaN) - 0.1);
    expect(latency?.p50).toBeGreaterThanOrEqual((served[Math.floor(served.length / 2)] ?? Number.NaN) - 1);
    expect(latency?.max).toBeLessThanOrEqual(elapsedMs + 1);
  });

  it.each([
    ["closes without an answer", hangUp("fin"), "unclassified"],
    ["resets", hangUp("rst"), "resets"],
    ["answers with something that is not HTTP, and closes", NOT_HTTP, "unclassified"],
  ] as const)("tells failures of a server that %s as far as ab does", async (_, action, failure) => {
    const { measurement, log } = await measure(everyNth({ 10: action }, HELLO));
    expect(log.outcomes[action.outcome]).toBe(measurement.requests[failure] ?? 0);
    expect(log.outcomes.ok).toBe(measurement.requests.ok);
    expect(measurement.requests.ok).toBeGreaterThan(0);
  });

  it("says what it can of a target at which nothing listens, and of one that answers nothing", async () => {
    const { measurement } = await runAb("http://127.0.0.1:1/");
    expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: 0, connectErrors: REQUESTS });
    const hanging = runAb((await start(hang)).url, { timeoutMs: 1000 });
    await expect(hanging).rejects.toThrow(/ab gave up with exit code [^]*timeout specified has expired/);
  });

  it("sends the path and query of its URL, method, headers, credentials and body", async () => {
    const seen: ReadRequest[] = [];
    const body = Buffer.from([0, 1, 255, 10, 13, 34, 92]);
    const odd = "a \"b\" 'c' $(id) `id` \\n %s; |";
    const headers = Object.entries({ "X-Odd": odd, "Content-Type": "text/odd" });
    const behaviour: Behaviour = (_, request) => {
      seen.push(request);
      return HELLO;
    };
    const server = await start(behaviour);
    const url = new URL("/a%20b?c=d&e='$(id)'", server.url.replace("//", "//us%20er:p%3Aw@"));
    const request = { method: "POST", headers, body: body.toString("base64"), bodyEncoding: "base64" } as const;
    const { measurement } = await runAb(url.href, { request });
    expect(measurement.requests.ok).toBeGreaterThan(0);
    const [first] = seen;
    expect(first).toMatchObject({ method: "POST", path: "/a%20b?c=d&e=%27$(id)%27" });
    expect(first?.body).toEqual(body);
    const lines = (first?.head ?? "").split("\r\n").map((line) => line.replace(/^[^:]+/, (key) => key.toLowerCase()));
    expect(lines).toEqual(
      expect.arrayContaining([
        `authorization: Basic ${Buffer.from("us er:p:w").toString("base64")}`,
        `x-odd: ${odd}`,
        "content-type: text/odd",
      ]),
    );
  });

  it("speaks TLS as well, and checks no certificate", async () => {
    const { measurement, log } = await measure(() => HELLO, {}, { identity: LOCALHOST });
    expect(measurement.requests.ok).toBe(measurement.requests.sent);
    expect(log.requests).toBe(measurement.requests.ok);
    expect(engine.supports.tlsVerification).toBe(false);
  });

  it("is seen at work, says how it was called, and leaves neither process nor file", async () => {
    const { url } = await start();
    const { generators, measurement } = await runAb(url, { level: { connections: CONNECTIONS, durationMs: 1000 } });
    const [usage, ...others] = generators;
    expect(others).toEqual([]);
    expect(usage).toMatchObject({ name: "ab" });
    for (const used of [usage?.cpu, usage?.busiestThread]) expect(used).toBeGreaterThan(0);
    expect(usage?.rssBytes).toBeGreaterThan(1_000_000);
    expect(runningOf([usage?.pid ?? -1])).toEqual([]);
    expect(temporary.content()).toEqual([]);
    const { program } = measurement;
    expect(program).toMatchObject({ name: "ab", command: expect.arrayContaining(["ab", url]) });
    expect(program?.version).toMatch(/\d/);
    expect(program?.output).toMatch(/requests|Requests/);
  });

  it("says how to install what is missing, before any load", async () => {
    vi.stubEnv("PATH", "/nonexistent");
    const { url, log } = await start();
    const args = ["sweep", url, "--engine", "ab", "-d", "1s", "--timeout", "5s", "-c", "1"];
    const { code, stderr } = await runCli(args, temporaryFolder());
    expect(code).toBe(4);
    expect(stderr).toContain("apt-get install apache2-utils");
    expect(log.accepted).toBe(0);
  });

  it("ends with lbbench, also when that is killed", async () => {
    const { url, log } = await start();
    const args = ["sweep", url, "--engine", "ab", "-d", "3600s", "--warmup", "0", "--timeout", "5s", "-c", "2"];
    const cli = startCli(args, temporaryFolder());
    await vi.waitFor(() => expect(log.requests).toBeGreaterThan(100), { timeout: 30_000 });
    cli.kill("SIGKILL");
    await vi.waitFor(() => expect(cli.processes()).toEqual([]), { timeout: 60_000 });
    const left = (): readonly string[] => temporary.content().filter((entry) => !entry.startsWith("lbbench-test-"));
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 60_000 });
  });
});
