import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type BackendOptions, BalancerOptionsError, type BalancerSnapshot } from "../options/options.js";
import { keepAliveAgent, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { say } from "../test-support/wire.js";
import { type AdminServerOptions, type BackendControl, createAdminServer, refuseWebPages } from "./admin-server.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";

const json = { "content-type": "application/json" };
const never = () => new Promise<never>(() => undefined);

/** Has an admin server listen until the test ends. */
async function listening(options: AdminServerOptions) {
  const server = createAdminServer(options);
  onTestFinished(() => server.close());
  return { ...server, ...(await server.listen()) };
}

/** An admin server over a backend `a`, and what it has asked for; `changes` replace what is done. */
async function startAdmin({
  snapshot = () => exampleSnapshot(),
  changes = {},
}: Partial<Pick<AdminServerOptions, "snapshot"> & { readonly changes: Partial<BackendControl> }> = {}) {
  const asked: unknown[][] = [];
  const control =
    <Name extends keyof BackendControl>(name: Name) =>
    (...values: unknown[]): unknown => {
      asked.push([name, ...values]);
      return (changes[name] as ((...values: unknown[]) => unknown) | undefined)?.(...values);
    };
  const names = ["add", "remove", "drain", "restore", "setWeight", "reload"] as const;
  const backends = Object.fromEntries(names.map((name) => [name, control(name)])) as unknown as BackendControl;
  const server = await listening({ snapshot, backends });
  /** Sends a request, with a body of JSON if there is one, and returns status and what is wrong. */
  const ask = async (method: string, path: string, body?: string, headers: object = json) => {
    const options = { host: "127.0.0.1", port: server.port, path, method };
    const given = body === undefined ? {} : { ...headers };
    const answer = await send("http://127.0.0.1", { ...options, headers: given }, body);
    const isError = answer.status >= 400 && answer.body !== "";
    return { ...answer, error: isError ? (JSON.parse(answer.body) as { error: unknown }).error : "" };
  };
  return { ...server, ask, asked };
}

describe("reading", () => {
  it("gives the metrics, the snapshot and the health, and web pages no leave to see them, on the loopback interface", async () => {
    const { ask, host } = await startAdmin();
    expect(host).toBe("127.0.0.1");
    const metrics = await ask("GET", "/metrics");
    expect(metrics).toMatchObject({ status: 200, body: await renderOpenMetrics(exampleSnapshot()) });
    expect(metrics.headers["content-type"]).toBe(OPEN_METRICS_CONTENT_TYPE);
    const stats = await ask("GET", "/stats?any=thing", "", { origin: "http://evil.example" });
    expect(Object.keys(stats.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(stats).toMatchObject({ status: 200, headers: { ...json, "x-content-type-options": "nosniff" } });
    expect(JSON.parse(stats.body)).toEqual(exampleSnapshot());
    expect(await ask("GET", "/health")).toMatchObject({ status: 200, body: "ok" });
    const head = await ask("HEAD", "/stats");
    expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", String(stats.body.length)]);
  });

  it("takes a snapshot anew each time, also one that has to be waited for, and goes on when there is none", async () => {
    const snapshot = vi.fn<() => Promise<BalancerSnapshot>>().mockResolvedValue(exampleSnapshot({ connections: 7 }));
    const { ask } = await startAdmin({ snapshot });
    for (const path of ["/metrics", "/stats", "/health"]) {
      snapshot.mockRejectedValueOnce(new Error("Worker 2 is gone."));
      expect(await ask("GET", path)).toMatchObject({ status: 500, error: "Worker 2 is gone." });
      expect((await ask("GET", path)).status).toBe(200);
    }
    expect(JSON.parse((await ask("GET", "/stats")).body)).toMatchObject({ connections: 7 });
    expect(snapshot).toHaveBeenCalledTimes(7);
  });

  it.each([
    ["up", 200],
    ["slow-start", 200],
    ["ejected", 503],
    ["unhealthy", 503],
    ["draining", 503],
  ] as const)("says of all but one that drain and one that is %s: %s", async (condition, status) => {
    const backends = [exampleBackend({ condition: "draining" }), exampleBackend({ name: "b", condition })];
    const { url } = await listening({ snapshot: () => exampleSnapshot({ backends }) });
    expect((await send(`${url}/health`)).status).toBe(status);
    // Nothing can be changed without a way to change it.
    expect((await send(`${url}/backends/a`, { method: "DELETE" })).status).toBe(404);
  });
});

describe("certificates", () => {
  it("are read again when that is asked for and possible, and what is wrong with them is told", async () => {
    const reloadCertificates = vi.fn<() => Promise<void>>().mockResolvedValueOnce();
    reloadCertificates.mockRejectedValueOnce(new BalancerOptionsError("tls.cert: expected a certificate as PEM"));
    const { url } = await listening({ snapshot: () => exampleSnapshot(), reloadCertificates });
    const reload = () => send(`${url}/certificates/reload`, { method: "POST" });
    expect(await reload()).toMatchObject({ status: 200, body: "{}\n" });
    const body = expect.stringContaining("expected a certificate as PEM");
    expect(await reload()).toMatchObject({ status: 400, body });
    expect((await send(`${url}/certificates/reload`)).status).toBe(405);
    const { ask } = await startAdmin();
    expect((await ask("POST", "/certificates/reload")).status).toBe(404);
  });
});

describe("changing backends", () => {
  const NEW: BackendOptions = { url: "http://127.0.0.1:4002", name: "b", weight: 2 };

  it.each<[string, string, string | undefined, number, unknown[]]>([
    ["POST", "/backends", JSON.stringify(NEW), 201, ["add", NEW]],
    ["POST", "/backends", JSON.stringify({ url: NEW.url }).padEnd(64 * 1024, " "), 201, ["add", { url: NEW.url }]],
    ["PUT", "/backends", JSON.stringify([NEW]), 202, ["reload", [NEW]]],
    ["DELETE", "/backends/a?graceMs=15000000000", undefined, 202, ["remove", "a", { graceMs: 15e9 }]],
    ["DELETE", "/backends/a", undefined, 202, ["remove", "a", {}]],
    ["POST", "/backends/a/drain", undefined, 202, ["drain", "a"]],
    ["POST", "/backends/a/restore", undefined, 200, ["restore", "a"]],
    ["PUT", "/backends/a/weight", '{"weight":0.5}', 200, ["setWeight", "a", 0.5]],
  ])("by %s %s (%#) are answered at once, also long ones", async (method, path, body, status, expected) => {
    const { ask, asked } = await startAdmin({ changes: { remove: never, drain: never } });
    expect((await ask(method, path, body)).status).toBe(status);
    expect(asked).toEqual([expected]);
  });

  it.each(["/run/app.sock", "a b?c#d%", "drain", "ä"])("finds a backend of the name %s", async (name) => {
    const snapshot = () => exampleSnapshot({ backends: [exampleBackend({ name })] });
    const { ask, asked } = await startAdmin({ snapshot });
    expect((await ask("POST", `/backends/${encodeURIComponent(name)}/restore`)).status).toBe(200);
    expect(asked).toEqual([["restore", name]]);
  });

  it("answers with 400 what the balancer does not take, and survives what fails later", async () => {
    const refuse = () => {
      throw new BalancerOptionsError("It says no.");
    };
    let failLate: (error: Error) => void = () => undefined;
    const remove = vi.fn<BackendControl["remove"]>(async () => refuse());
    remove.mockImplementationOnce(() => new Promise((_, reject) => (failLate = reject)));
    const { ask } = await startAdmin({ changes: { add: refuse, remove } });
    expect((await ask("DELETE", "/backends/a")).status).toBe(202);
    failLate(new Error("Late."));
    const add = JSON.stringify(NEW);
    expect(await ask("POST", "/backends", add)).toMatchObject({ status: 400, error: "It says no." });
    expect(await ask("DELETE", "/backends/a")).toMatchObject({ status: 400, error: "It says no." });
  });
});

describe("what is refused changes nothing:", () => {
  const big = Buffer.alloc(64 * 1024 + 1, " ").toString();
  it.each<[string, string, string | undefined, number, RegExp]>([
    ["POST", "/backends", "{", 400, /^body: expected JSON with url, name, weight; got "\{"\.$/],
    ["POST", "/backends", "[]", 400, /^body: expected an object, got \[\]/],
    ["POST", "/backends", '{"url":"http://a","name":1}', 400, /^body\.name: expected a .*text .*, got 1\.$/],
    ["POST", "/backends", '{"url":"http://a","wieght":1}', 400, /^body\.wieght: there is no such option/],
    ["POST", "/backends", '{"url":"http://a","__proto__":{}}', 400, /^body\.__proto__: there is no such option/],
    ["POST", "/backends", big, 413, /^body: expected at most 65536 bytes, got more\.$/],
    ["PUT", "/backends", "{}", 400, /^body: expected a list of backends, got/],
    [
      "PUT",
      "/backends/a/weight",
      '{"weight":0}',
      400,
      /^body\.weight: expected a number from 0\.001 to 1000000, got 0/,
    ],
    ["DELETE", "/backends/a?graceMs=-1", undefined, 400, /^graceMs: expected a whole number of ms/],
    ["DELETE", "/backends/a?grace=1", undefined, 400, /^"grace": expected no other parameter than graceMs\.$/],
    ["DELETE", "/backends/%ff", undefined, 400, /^Name of the backend: expected percent-encoded UTF-8, got "%ff"\.$/],
    ["DELETE", "/backends/b", undefined, 404, /^There is no backend "b"\. There are "a"\.$/],
    ["POST", "/backends/constructor/restore", undefined, 404, /^There is no backend "constructor"\./],
    ["GET", "//metrics", undefined, 404, /^There is nothing at "/],
    ["GET", "/backends/a/b/drain", undefined, 404, /^There is nothing at "/],
    ["GET", "/constructor", undefined, 404, /^There is nothing at "/],
    ["GET", "http://127.0.0.1/stats", undefined, 404, /^There is nothing at "/],
    ["POST", "/metrics", undefined, 405, /expected GET, HEAD, got POST/],
    ["OPTIONS", "/health", undefined, 405, /expected GET, HEAD, got OPTIONS/],
    ["DELETE", "/backends/a/drain", undefined, 405, /expected POST, got DELETE/],
  ])("%s %s (%#)", async (method, path, body, status, error) => {
    const { ask, asked } = await startAdmin();
    const answer = await ask(method, path, body);
    expect([answer.status, answer.error]).toEqual([status, expect.stringMatching(error)]);
    expect(String(answer.error)).toContain(answer.headers.allow ?? "");
    expect([asked, (await ask("GET", "/health")).status]).toEqual([[], 200]);
  });

  it("a body in chunks over 64 KiB, after which the connection goes on", async () => {
    const { url } = await startAdmin();
    const agent = keepAliveAgent({ maxSockets: 1 });
    const headers = { ...json, "transfer-encoding": "chunked" };
    expect((await send(`${url}/backends`, { method: "POST", headers, agent }, big)).status).toBe(413);
    expect((await send(`${url}/health`, { agent })).status).toBe(200);
  });
});

describe("a web page", () => {
  it.each([
    ["POST", "/backends/a/restore", "null"],
    ["DELETE", "/backends/a", "http://127.0.0.1"],
    ["OPTIONS", "/backends", "http://evil.example"],
  ])("may not %s %s", async (method, path, origin) => {
    const { ask, asked } = await startAdmin();
    const error = `Origin: expected none, got "${origin}". Web pages may change nothing.`;
    expect(await ask(method, path, "", { origin })).toMatchObject({ status: 403, error });
    expect(asked).toEqual([]);
  });

  it.each([
    ["text/plain", 415],
    ["application/jsonp", 415],
    [undefined, 415],
    ["Application/JSON; charset=utf-8", 201],
  ])("cannot send a body of the type %s, as forms do: %s", async (type, status) => {
    const { ask, asked } = await startAdmin();
    const headers = type === undefined ? {} : { "content-type": type };
    expect((await ask("POST", "/backends", '{"url":"http://127.0.0.1:4002"}', headers)).status).toBe(status);
    expect((await ask("POST", "/backends/a/drain", "{}", headers)).status).toBe(status === 415 ? 415 : 202);
    expect(asked).toHaveLength(status === 415 ? 0 : 2);
  });

  it("cannot read by a name that is made to point here, nor without one", async () => {
    const { ask, port } = await startAdmin();
    for (const path of ["/stats", "/health", "/nothing"]) {
      const error = expect.stringContaining("Host: expected an IP address");
      expect(await ask("GET", path, "", { host: "evil.example" })).toMatchObject({ status: 403, error });
    }
    for (const head of ["GET /stats HTTP/1.0\r\n", "GET /stats HTTP/1.1\r\nHost:\r\nConnection: close\r\n"]) {
      expect(await say(port, `${head}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    }
  });

  const trusted = "127.0.0.1 127.0.0.1:80 [::1] [::1]:9000 192.168.1.2:9000 localhost LOCALHOST:9000".split(" ");
  const others =
    "evil.example localhost.evil.example 127.0.0.1.evil.example 127.0.0.1@evil.example [::1].evil.example " +
    "[evil.example] localhost:9000:1 :9000 internal lab.internal.evil.example";
  it.each([
    ["Lab.Internal", [...trusted, "lab.internal:9000"], others.split(" ")],
    ["0.0.0.0", trusted, [...others.split(" "), "lab.internal:9000"]],
    ["", trusted, [...others.split(" "), "lab.internal:9000"]],
  ])("is not behind a request by an address or a name of this machine, which listens on %j", (own, good, bad) => {
    const refuses = (host: string): boolean => {
      try {
        refuseWebPages({ headers: { host }, method: "GET" }, own);
        return false;
      } catch {
        return true;
      }
    };
    expect([good.filter(refuses), bad.filter((host) => !refuses(host))]).toEqual([[], []]);
  });
});

describe("an admin server", () => {
  it("ends also with a request under way, any number of times, and without having listened", async () => {
    const snapshot = vi.fn<() => Promise<BalancerSnapshot>>(never);
    const { ask, close } = await startAdmin({ snapshot });
    const answer = ask("GET", "/stats").catch((error: unknown) => error);
    await expectSoon(() => snapshot.mock.calls.length).toBe(1);
    await Promise.all([close(), close()]);
    expect(await answer).toMatchObject({ code: "ECONNRESET" });
    await expect(close()).resolves.toBeUndefined();
    await expect(createAdminServer({ snapshot }).close()).resolves.toBeUndefined();
  });
});
