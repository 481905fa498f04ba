import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { HTTP2 } from "@lbbench/wire";
import { startHttp2Backend } from "../test-support/http2-backends.js";
import { askHttp2, openHttp2 } from "../test-support/http2-client.js";
import { GONE_URL, startBalancer } from "../test-support/servers.js";
import { balance } from "./test-support/balance.js";
import { expectCalls, NODE } from "./test-support/peers.js";

const [DEADLINE_EXCEEDED, NOT_FOUND, RESOURCE_EXHAUSTED, UNAVAILABLE] = ["4", "5", "8", "14"];
const CALL = { ":method": "POST", "content-type": "application/grpc" };

describe("gRPC through the balancer", () => {
  // The same of other implementations: real-programs.slow.test.ts. How calls are shared out: clients.integration.test.ts.
  it("makes calls of every kind, with what stands around them", () => expectCalls(NODE, NODE));

  it("is told of statuses and their texts as the server says them, once", async () => {
    const backend = await startHttp2Backend((stream, { ":path": path }) => {
      const status = { "grpc-status": path?.slice(1), "grpc-message": "as%20asked" };
      stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
    });
    const { url, snapshot, stats } = await balance(backend);
    const session = await openHttp2(url);
    for (const status of [NOT_FOUND, RESOURCE_EXHAUSTED, UNAVAILABLE]) {
      const { headers } = await askHttp2(session, { ...CALL, ":path": `/${status}` });
      expect(headers).toMatchObject({ "grpc-status": status, "grpc-message": "as%20asked" });
    }
    expect(backend.asked).toHaveLength(3);
    const grpc = { NOT_FOUND: 1, RESOURCE_EXHAUSTED: 1, UNAVAILABLE: 1 };
    await expectSoon(() => snapshot().backends[0]?.grpc).toEqual(grpc);
    expect(stats()["one"]).toMatchObject({ requests: 3, errors: 0 });
  });

  it("is told by a status why the balancer could not make a call", async () => {
    const { url } = await startBalancer({ backends: [{ url: GONE_URL.replace("http:", "h2c:"), name: "göne" }] });
    const { headers } = await askHttp2(await openHttp2(url), CALL);
    const why = expect.stringMatching(/^Backend g%C3%B6ne did not answer/);
    expect(headers).toMatchObject({ ":status": 200, "grpc-status": UNAVAILABLE, "grpc-message": why });
  });

  it("is told that its deadline has passed where a server ends it for that", async () => {
    const backend = startHttp2Backend((stream) => void setTimeout(() => stream.close(HTTP2.CANCEL), 60));
    const { url } = await balance(backend);
    const session = await openHttp2(url);
    const ask = async (timeout: string): Promise<unknown> =>
      (await askHttp2(session, { ...CALL, "grpc-timeout": timeout })).headers["grpc-status"];
    expect([await ask("50m"), await ask("1H")]).toEqual([DEADLINE_EXCEEDED, UNAVAILABLE]);
  });
});
