import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { keepAliveAgent, send } from "../test-support/client.js";
import {
  errorOf,
  expectUntouched,
  json,
  recordingControl,
  sendJson,
  startAdmin,
} from "../test-support/observe-admin.js";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";

describe("changing backends", () => {
  it("adds one", async () => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    const backend = { url: "http://127.0.0.1:4002", name: "b", weight: 2 };
    expect(await sendJson(`${url}/backends`, "POST", backend)).toMatchObject({ status: 201 });
    expect(await sendJson(`${url}/backends`, "POST", { url: "http://127.0.0.1:4003" })).toMatchObject({ status: 201 });
    expect(backends.add.mock.calls).toEqual([[backend], [{ url: "http://127.0.0.1:4003" }]]);
  });

  it("answers a removal and a drain at once, and lets them go on", async () => {
    const never = async () => new Promise<void>(() => undefined);
    const backends = recordingControl({ remove: never, drain: never });
    const { url } = await startAdmin({ backends });
    expect((await send(`${url}/backends/a?graceMs=1500`, { method: "DELETE" })).status).toBe(202);
    expect((await send(`${url}/backends/a`, { method: "DELETE" })).status).toBe(202);
    expect((await send(`${url}/backends/a/drain`, { method: "POST" })).status).toBe(202);
    expect(backends.remove.mock.calls).toEqual([
      ["a", { graceMs: 1500 }],
      ["a", {}],
    ]);
    expect(backends.drain.mock.calls).toEqual([["a"]]);
  });

  it("survives a removal that fails after it was answered", async () => {
    let fail: (error: Error) => void = () => undefined;
    const remove = async () => new Promise<void>((_resolve, reject) => (fail = reject));
    const { url } = await startAdmin({ backends: recordingControl({ remove }) });
    expect((await send(`${url}/backends/a`, { method: "DELETE" })).status).toBe(202);
    fail(new Error("Late."));
    expect((await send(`${url}/health`)).status).toBe(200);
  });

  it("restores one and sets a weight", async () => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    expect((await send(`${url}/backends/a/restore`, { method: "POST" })).status).toBe(200);
    const weighted = await sendJson(`${url}/backends/a/weight`, "PUT", { weight: 0.5 });
    expect(weighted).toMatchObject({ status: 200, body: '{"name":"a","weight":0.5}\n' });
    expect(backends.restore.mock.calls).toEqual([["a"]]);
    expect(backends.setWeight.mock.calls).toEqual([["a", 0.5]]);
  });

  it.each(["/run/app.sock", "a b?c#d%", "127.0.0.1:4001", "drain", "ä"])(
    "finds a backend of the name %s",
    async (name) => {
      const backends = recordingControl();
      const { url } = await startAdmin({
        backends,
        snapshot: () => exampleSnapshot({ backends: [exampleBackend({ name })] }),
      });
      const path = `${url}/backends/${encodeURIComponent(name)}`;
      expect((await send(`${path}/restore`, { method: "POST" })).status).toBe(200);
      expect((await send(path, { method: "DELETE" })).status).toBe(202);
      expect(backends.restore.mock.calls).toEqual([[name]]);
      expect(backends.remove.mock.calls).toEqual([[name, {}]]);
    },
  );

  it.each([
    ["DELETE", "/backends/b"],
    ["POST", "/backends/b/drain"],
    ["POST", "/backends/constructor/restore"],
  ])("answers %s %s with 404 when there is no such backend", async (method, path) => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    const answer = await send(url + path, { method });
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toMatch(/^There is no backend "\w+"\. There are "a"\.$/);
    expectUntouched(backends);
  });

  it("answers with 400 what the balancer does not take, also where the work would go on", async () => {
    const refuse = () => {
      throw new BalancerOptionsError("It says no.");
    };
    const rejecting = async () => refuse();
    const { url } = await startAdmin({
      backends: { add: refuse, remove: rejecting, drain: refuse, restore: refuse, setWeight: rejecting },
    });
    const answers = [
      await sendJson(`${url}/backends`, "POST", { url: "x" }),
      await send(`${url}/backends/a`, { method: "DELETE" }),
      await send(`${url}/backends/a/drain`, { method: "POST" }),
      await send(`${url}/backends/a/restore`, { method: "POST" }),
      await sendJson(`${url}/backends/a/weight`, "PUT", { weight: 1 }),
    ];
    expect(answers.map((answer) => [answer.status, errorOf(answer)])).toEqual(answers.map(() => [400, "It says no."]));
  });

  it.each([
    ["POST", "/backends", "{", /^body: expected JSON with url, name, weight; got "\{"\.$/],
    ["POST", "/backends", "", /^body: expected JSON/],
    ["POST", "/backends", "null", /^body: expected an object, got null\.$/],
    ["POST", "/backends", "[]", /^body\.url: expected a URL/],
    ["POST", "/backends", '{"url":1}', /^body\.url: expected a URL .* got 1\.$/],
    ["POST", "/backends", '{"url":"http://a","name":1}', /^body\.name: expected a text, got 1\.$/],
    ["POST", "/backends", '{"url":"http://a","weight":"1"}', /^body\.weight: expected a number above 0/],
    ["POST", "/backends", '{"url":"http://a","wieght":1}', /^body\.wieght: there is no such option/],
    ["POST", "/backends", '{"url":"http://a","__proto__":{}}', /^body\.__proto__: there is no such option/],
    ["PUT", "/backends/a/weight", '{"weight":0}', /^body\.weight: expected a number above 0, got 0/],
    ["PUT", "/backends/a/weight", "{}", /^body\.weight: expected a number above 0, got undefined/],
    ["DELETE", "/backends/a?graceMs=-1", "", /^graceMs: expected a whole number of ms/],
    ["DELETE", "/backends/a?graceMs=", "", /^graceMs: expected a whole number of ms/],
    ["DELETE", "/backends/a?graceMs=9999999999", "", /^graceMs: expected a whole number of ms/],
    ["DELETE", "/backends/a?grace=1", "", /^"grace": expected no other parameter than graceMs\.$/],
    ["DELETE", "/backends/%ff", "", /^Name of the backend: expected percent-encoded UTF-8, got "%ff"\.$/],
  ])("answers %s %s with the body %j with 400", async (method, path, body, message) => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    const answer = await send(url + path, { method, headers: json }, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatch(message);
    expectUntouched(backends);
  });

  it.each([
    ["whose length is said", { "content-length": String(64 * 1024 + 1) }],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ])("answers a body over 64 KiB, %s, with 413, and goes on with the connection", async (_, headers) => {
    const backends = recordingControl();
    const { url } = await startAdmin({ backends });
    const agent = keepAliveAgent({ maxSockets: 1 });
    const options = { method: "POST", headers: { ...json, ...headers }, agent };
    const answer = await send(`${url}/backends`, options, Buffer.alloc(64 * 1024 + 1, " "));
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toBe("body: expected at most 65536 bytes, got more.");
    expect((await send(`${url}/health`, { agent })).status).toBe(200);
  });

  it("takes a body of 64 KiB", async () => {
    const { url } = await startAdmin({ backends: recordingControl() });
    const body = JSON.stringify({ url: "http://127.0.0.1:4002" }).padEnd(64 * 1024, " ");
    expect((await send(`${url}/backends`, { method: "POST", headers: json }, body)).status).toBe(201);
  });

  it("survives a client that goes away in the middle of its body", async () => {
    const { url, port } = await startAdmin({ backends: recordingControl() });
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `POST /backends HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await once(socket, "connect");
    socket.destroy();
    expect((await send(`${url}/health`)).status).toBe(200);
  });

  it("has nothing to change without a way to change it", async () => {
    const { url } = await startAdmin();
    expect((await sendJson(`${url}/backends`, "POST", { url: "http://127.0.0.1:4002" })).status).toBe(404);
    expect((await send(`${url}/backends/a`, { method: "DELETE" })).status).toBe(404);
  });
});
