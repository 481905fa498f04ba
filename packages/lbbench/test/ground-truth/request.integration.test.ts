import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { RequestSpec } from "../../src/model/scenario.js";
import { answer } from "./action.js";
import { BUILT_IN_ENGINES } from "./built-in-engines.js";
import { startGroundTruthServer, type GroundTruthServer } from "./ground-truth-server.js";
import { aContext, aLoad } from "./load.js";

const REQUESTS: readonly (readonly [name: string, request: Partial<RequestSpec>])[] = [
  ["nothing out of the ordinary", {}],
  [
    "headers in their order and spelling, with repetitions",
    {
      headers: [
        ["X-b", "2"],
        ["x-A", "1"],
        ["HOST", "shop.test"],
        ["X-b", "3"],
      ],
    },
  ],
  ["a method of its own", { method: "PURGE" }],
  [
    "a body of bytes",
    { method: "PUT", body: Buffer.from([0, 200, 13, 10]).toString("base64"), bodyEncoding: "base64" },
  ],
  ["a body with GET", { body: "why not" }],
  ["no body with POST", { method: "POST" }],
  [
    "headers of the connection",
    {
      headers: [
        ["Connection", "keep-alive, x-hop"],
        ["Keep-Alive", "timeout=1"],
      ],
    },
  ],
];

describe("every engine sends the same bytes", () => {
  const children = createChildPool("generator");
  let server: GroundTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  it.each(REQUESTS)("for a request with %s", async (_, request) => {
    const seen: string[] = [];
    server = await startGroundTruthServer((_number, { head, body }) => {
      seen.push(`${head}|${body.toString("base64")}`);
      return answer();
    });
    for (const engine of BUILT_IN_ENGINES) {
      const load = aLoad(`${server.url}some/path?with=query`, { connections: 1, requests: 2 }, { request });
      const { measurement } = await engine.run(load, aContext(children));
      expect(measurement.requests.ok).toBe(2);
    }
    expect(seen).toHaveLength(2 * BUILT_IN_ENGINES.length);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain("/some/path?with=query HTTP/1.1");
  });
});
