import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { INTERNAL, LOCALHOST } from "@lbbench/test-support/certificates.js";
import { send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve } from "@lbbench/test-support/servers.js";
import type { BalancerOptions } from "../options/options.js";
import { GONE_URL, startBalancer } from "../test-support/servers.js";
import { speaking, TLS_VERSIONS } from "../test-support/tls-client.js";
import { TRANSPORTS } from "../test-support/transports.js";

/** A backend that ends each connection behind its first answer, and counts how handshakes ended. */
async function startSecure(version: (typeof TLS_VERSIONS)[number], http: "1.1" | "2" = "1.1") {
  const counts = { full: 0, resumed: 0 };
  const options = { ...LOCALHOST, ...speaking(version) };
  const server =
    http === "2"
      ? createSecureServer({ ...options, allowHTTP1: true }, (incoming, response) => {
          response.end(incoming.httpVersion);
          incoming.stream.session?.close();
        })
      : createServer(options, (_, response) => response.setHeader("connection", "close").end("1.1"));
  server.on("secureConnection", (socket: TLSSocket) => (counts[socket.isSessionReused() ? "resumed" : "full"] += 1));
  const { port } = await serve(server);
  const backends = [{ url: `https://localhost:${port}`, name: "one" }];
  return { backends, counts, server };
}

async function startFront(options: Pick<BalancerOptions, "backends" | "transport" | "health">) {
  const { url, snapshot } = await startBalancer({ backendTls: { ca: LOCALHOST.cert }, ...options });
  const handshakes = () => snapshot().backends.map((backend) => backend.handshakes);
  const askTimes = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) expect((await send(url)).status).toBe(200);
  };
  return { askTimes, handshakes };
}

describe.each(TLS_VERSIONS)("a backend of %s", (version) => {
  it.each(TRANSPORTS)("goes on with its sessions on new connections by %s, as both count", async (transport) => {
    const { backends, counts, server } = await startSecure(version);
    const { askTimes, handshakes } = await startFront({ transport, backends });
    await askTimes(5);
    expect([counts, handshakes()]).toEqual([{ full: 1, resumed: 4 }, [counts]]);
    // What it cannot resume any more costs a handshake, and no request.
    server.setTicketKeys(Buffer.alloc(48, "others"));
    await askTimes(3);
    expect([counts, handshakes()]).toEqual([{ full: 2, resumed: 6 }, [counts]]);
  });

  it("goes on with them in HTTP/2, and in checks", async () => {
    const { backends, counts } = await startSecure(version, "2");
    const { askTimes, handshakes } = await startFront({ backends });
    await askTimes(5);
    expect([counts, handshakes()]).toEqual([{ full: 1, resumed: 4 }, [counts]]);
    const checked = await startSecure(version);
    const checking = await startFront({ backends: checked.backends, health: { active: { intervalMs: 5 } } });
    await expectSoon(() => checking.handshakes()[0]?.resumed).toBeGreaterThan(3);
    expect(checking.handshakes()).toEqual([{ full: 1, resumed: expect.any(Number) }]);
  });
});

it("tells of no handshakes where there is no TLS, and of none that were made with a certificate that is refused", async () => {
  const { port } = await serve(createServer(INTERNAL));
  const { handshakes } = await startFront({
    backends: [
      { url: GONE_URL, name: "plain" },
      { url: `https://localhost:${port}`, name: "refused" },
    ],
    health: { active: { intervalMs: 5, unhealthyAfter: 1 } },
  });
  await expectSoon(handshakes).toEqual([undefined, { full: 0, resumed: 0 }]);
});
