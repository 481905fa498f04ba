import { describe, expect, it } from "vitest";
import type { RequestLogEntry } from "../options/options.js";
import { send } from "../test-support/client.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";

describe.each(TRANSPORTS)("the latency that a balancer by %s notes of a backend", (transport) => {
  it("leaves out the time that another backend had the request before", async () => {
    const hanging = await startBackend(() => undefined);
    const quick = await startBackend((_, response) => response.end("ok"));
    const entries: RequestLogEntry[] = [];
    const { url, snapshot } = await startBalancer({
      transport,
      backends: [{ url: hanging.url }, { url: quick.url }],
      timeouts: { responseMs: 300 },
      onRequest: (entry) => entries.push(entry),
    });
    expect((await send(url)).body).toBe("ok");
    await expect.poll(() => entries).toMatchObject([{ retries: 1 }]);
    const latency = snapshot().backends[1]?.latency;
    expect(latency?.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((latency?.sumSeconds ?? Infinity) * 1000 + 300).toBeLessThanOrEqual(entries[0]?.durationMs ?? 0);
  });
});
