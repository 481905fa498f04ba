import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { keepAliveAgent, send } from "../test-support/client.js";
import { single } from "../test-support/started.js";

const sized = ["hello", "json", "sleep:1ms", "cpu:0.1ms", "error:100%"];

describe.each([...sized, "echo"])("the handler %s", (handler) => {
  it("tells the length of its body", async () => {
    const { url } = await single(handler);
    const { headers, body } = await send(url);
    expect(headers["content-length"]).toBe(String(body.length));
  });

  it("answers HEAD with the head alone", async () => {
    const { url } = await single(handler);
    const [get, head] = [await send(url), await send(url, { method: "HEAD" })];
    expect(head.body).toBe("");
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
    expect(head.status).toBe(get.status);
  });

  it("keeps the connection, also after a megabyte of request", async () => {
    const { url } = await single(handler);
    const agent = keepAliveAgent();
    const used = new Set<number | undefined>();
    for (const body of [undefined, Buffer.alloc(1024 * 1024), undefined]) {
      const sent = request(url, { agent, method: body === undefined ? "GET" : "POST" });
      sent.end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      used.add(sent.socket?.localPort);
      await once(response.resume(), "end");
    }
    expect(used.size).toBe(1);
  });
});

describe.each(sized)("the handler %s with a size", (handler) => {
  it.each([100, 10_240])("has a body of %d bytes", async (size) => {
    const { url } = await single(`${handler},size=${size}`);
    expect((await send(url)).body).toHaveLength(size);
  });
});

describe("hello", () => {
  it("answers with a short text", async () => {
    const { url } = await single("hello");
    const { status, headers, body } = await send(url);
    expect([status, headers["content-type"], body]).toEqual([200, "text/plain; charset=utf-8", "hello\n"]);
  });
});

describe("json", () => {
  it("answers with a document", async () => {
    const { url } = await single("json");
    const { status, headers, body } = await send(url);
    expect([status, headers["content-type"], JSON.parse(body)]).toEqual([
      200,
      "application/json",
      { message: "hello" },
    ]);
  });
});

describe("echo", () => {
  it("answers with the body, its length and its type", async () => {
    const { url } = await single("echo");
    const options = { method: "POST", headers: { "content-type": "text/x-test", "content-length": 5 } };
    const { headers, body } = await send(url, options, "äöb");
    expect([headers["content-type"], headers["content-length"], body]).toEqual(["text/x-test", "5", "äöb"]);
  });

  it("answers in chunks to chunks, while they come", async () => {
    const { url } = await single("echo");
    const sent = request(url, { method: "POST" });
    sent.write("first");
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const [chunk] = (await once(response.setEncoding("utf8"), "data")) as [string];
    expect(chunk).toBe("first");
    expect(response.headers["transfer-encoding"]).toBe("chunked");
    sent.end("last");
    let rest = "";
    for await (const more of response) rest += String(more);
    expect(rest).toBe("last");
  });

  it("survives a client that goes away in the middle", async () => {
    const { url } = await single("echo");
    const sent = request(url, { method: "POST", headers: { "content-length": 1000 } });
    sent.on("error", () => undefined);
    sent.write("part");
    await once(sent, "response");
    sent.destroy();
    expect((await send(url, { method: "POST" }, "still here")).body).toBe("still here");
  });
});

describe("sleep", () => {
  it("answers after its delay", async () => {
    const { url } = await single("sleep:30ms");
    const startedAt = performance.now();
    await send(url);
    // Timers count whole milliseconds and may be early by a fraction of one.
    expect(performance.now() - startedAt).toBeGreaterThan(29);
  });
});

describe("cpu", () => {
  it("uses the processor time that was asked for", async () => {
    const { url } = await single("cpu:30ms");
    const before = process.cpuUsage();
    await send(url);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeGreaterThanOrEqual(30);
  });
});

describe("error", () => {
  async function failuresAmong(handler: string, requests: number): Promise<number[]> {
    const { url } = await single(handler);
    const agent = keepAliveAgent();
    const statuses: number[] = [];
    for (let i = 0; i < requests; i++) statuses.push((await send(url, { agent })).status);
    return statuses;
  }

  it("fails exactly the share that was asked for, evenly spaced", async () => {
    const statuses = await failuresAmong("error:20%,status=503", 10);
    expect(statuses).toEqual([200, 200, 200, 200, 503, 200, 200, 200, 200, 503]);
  });

  it.each([
    ["0%", 0],
    ["29%", 29],
    ["100%", 100],
  ])("fails %s of 100 requests exactly", async (share, expected) => {
    const statuses = await failuresAmong(`error:${share}`, 100);
    expect(statuses.filter((status) => status === 500)).toHaveLength(expected);
  });

  it("draws the same failures for the same seed", async () => {
    const first = await failuresAmong("error:30%,seed=5", 60);
    expect(await failuresAmong("error:30%,seed=5", 60)).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await failuresAmong("error:30%,seed=6", 60)).not.toEqual(first);
  });
});
