import { createServer } from "node:http";
import { serve } from "@lbbench/test-support/servers.js";
import { keepAliveAgent, send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { describe, expect, it } from "vitest";
import { askHttp2, openHttp2 } from "../test-support/http2-client.js";
import { GONE_URL, startBefore, startHolding } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";

const TOLD = "app;dur=1.5, db";
const LB = String.raw`lb;dur=\d+\.\d{3}`;
const WAITS = String.raw`(?:lb-(?:queue|connect);dur=\d+\.\d{3}, )`;

describe.each(TRANSPORTS)("the Server-Timing of answers by the transport %s", (transport) => {
  /** Asks by HTTP/1.1 or HTTP/2; what the answer says. */
  const asking = async (url: string, version: string): Promise<() => Promise<string | undefined>> => {
    if (version === "2") {
      const session = await openHttp2(url);
      return async () => (await askHttp2(session, { ":path": "/" })).headers["server-timing"] as string | undefined;
    }
    const agent = keepAliveAgent();
    return async () => (await send(url, { agent })).headers["server-timing"] as string | undefined;
  };

  it.each(["1.1", "2"])("has the backend's and then the balancer's own, to a client of HTTP/%s", async (version) => {
    const server = await serve(
      createServer((request, response) => {
        if (request.url === "/silent") return response.end("ok");
        response.setHeader("server-timing", TOLD).end("ok");
      }),
    );
    const plain = await asking((await startBefore(server, { transport })).url, version);
    expect(await plain()).toBe(TOLD);
    const { url } = await startBefore(server, { transport, serverTiming: true });
    const ask = await asking(url, version);
    expect(await ask()).toMatch(new RegExp(`^${TOLD}, lb-connect;dur=\\d+\\.\\d{3}, ${LB}$`));
    // The connection is kept. http-proxy waits for the turn of the event loop in which it gets that.
    expect(await ask()).toMatch(new RegExp(`^${TOLD}, ${transport === "wire" ? "" : `${WAITS}?`}${LB}$`));
    expect((await send(`${url}/silent`)).headers["server-timing"]).toMatch(new RegExp(`^${WAITS}?${LB}$`));
  });

  it("says how long a request waited for a slot, within all that it took", async () => {
    const backend = await startHolding();
    const limits = { connectionsPerBackend: 1 };
    const balancer = await startBefore(backend, { transport, limits, serverTiming: true });
    const ask = await asking(balancer.url, "1.1");
    const first = ask();
    await expectSoon(() => backend.held.length).toBe(1);
    const second = ask();
    await expectSoon(() => balancer.snapshot().backends[0]?.queued).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    backend.letGo();
    expect(await first).not.toContain("lb-queue");
    await expectSoon(() => backend.held.length).toBe(1);
    backend.letGo();
    const told = /lb-queue;dur=([\d.]+),.* lb;dur=([\d.]+)$/.exec((await second) ?? "") ?? [];
    const [, queue = 0, total = 0] = told.map(Number);
    // A timer may be a little early.
    expect(queue).toBeGreaterThan(18);
    expect(total).toBeGreaterThanOrEqual(queue);
  });

  it("is nothing of answers of the balancer's own", async () => {
    const { url } = await startBefore({ url: GONE_URL }, { transport, serverTiming: true });
    const { status, headers } = await send(url);
    expect(status).toBe(502);
    expect(headers).not.toHaveProperty("server-timing");
  });
});
