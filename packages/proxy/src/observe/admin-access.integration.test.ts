import { describe, expect, it } from "vitest";
import { send } from "../test-support/client.js";
import { say } from "../test-support/wire.js";
import { errorOf, expectUntouched, recordingControl, startAdmin } from "../test-support/observe-admin.js";

describe("web pages", () => {
  it.each([
    ["POST", "/backends/a/drain", "http://evil.example"],
    ["POST", "/backends/a/restore", "null"],
    ["DELETE", "/backends/a", "http://127.0.0.1"],
    ["OPTIONS", "/backends", "http://evil.example"],
  ])("may not %s %s", async (method, path, origin) => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    const answer = await send(url + path, { method, headers: { origin } });
    expect(answer.status).toBe(403);
    expect(errorOf(answer)).toBe(`Origin: expected none, got "${origin}". Web pages may change nothing.`);
    expectUntouched(backends);
  });

  it("may ask, but browsers are given no leave to show them the answer", async () => {
    const { url } = await startAdmin();
    const { status, headers } = await send(`${url}/stats`, { headers: { origin: "http://evil.example" } });
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    undefined,
  ])("cannot send a body of the type %s, as forms do", async (type) => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    const headers = type === undefined ? {} : { "content-type": type };
    for (const path of ["/backends", "/backends/a/drain"]) {
      const answer = await send(url + path, { method: "POST", headers }, '{"url":"http://127.0.0.1:4002"}');
      expect(answer.status).toBe(415);
    }
    expectUntouched(backends);
  });

  it("takes JSON however its type is spelled", async () => {
    const { url } = await startAdmin({ backends: recordingControl() });
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    const answer = await send(`${url}/backends`, { method: "POST", headers }, '{"url":"http://127.0.0.1:4002"}');
    expect(answer.status).toBe(201);
  });

  it.each(["127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:9000", "192.168.1.2:9000", "localhost", "LOCALHOST:9000"])(
    "trusts the host %s",
    async (host) => {
      const { url } = await startAdmin();
      expect((await send(`${url}/stats`, { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    "evil.example",
    "evil.example:9000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "[::1].evil.example",
    "[evil.example]",
    "localhost:9000:1",
    ":9000",
  ])("cannot read by a name that is made to point here: %j", async (host) => {
    const { url } = await startAdmin();
    for (const path of ["/stats", "/health", "/nothing"]) {
      const answer = await send(url + path, { headers: { host } });
      expect(answer.status).toBe(403);
      expect(errorOf(answer)).toContain("Host: expected an IP address");
    }
  });

  it.each(["GET /stats HTTP/1.0\r\n", "GET /stats HTTP/1.1\r\nHost:\r\nConnection: close\r\n"])(
    "cannot read without a name either: %j",
    async (head) => {
      const { port } = await startAdmin();
      expect(await say(port, `${head}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    },
  );
});
