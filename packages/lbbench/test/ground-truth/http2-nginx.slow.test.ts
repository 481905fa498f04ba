import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../src/system/listen.js";
import { fixture } from "../support/fixture.js";
import { isListening } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { needs } from "@lbbench/test-support/needs.js";
import { startNginx } from "@lbbench/test-support/nginx.js";
import { expectConservation } from "./expect-accounts.js";
import { send } from "./measure.js";
import { SUBJECTS } from "./subjects.js";

/** A connection is ended in order after so many requests. */
const REQUESTS_OF_CONNECTION = 100;

/** Starts nginx, which writes a line for each request: its connection, its status, and how long it was. */
async function startHttp2(secure: boolean): Promise<{ readonly url: string; readonly log: () => readonly string[] }> {
  const port = await findFreePort();
  const certificate = `ssl_certificate ${fixture("localhost-cert.pem")}; ssl_certificate_key ${fixture("localhost-key.pem")};`;
  const folder = startNginx(`
    log_format plain "$connection $status $server_protocol";
    access_log access.log plain;
    keepalive_requests ${REQUESTS_OF_CONNECTION};
    server {
      listen 127.0.0.1:${port} ${secure ? "ssl " : ""}http2;
      ${secure ? certificate : ""}
      location / { return 200 "hello"; }
    }`);
  await expectSoon(() => isListening(port)).toBe(true);
  const log = (): readonly string[] => readFileSync(join(folder, "access.log"), "utf8").trim().split("\n");
  return { url: `${secure ? "https" : "http"}://127.0.0.1:${port}/`, log };
}

const speakers = SUBJECTS.filter(({ load }) => load.httpVersion === "2");

describe.runIf(needs("nginx")).each(speakers)("$name agrees with nginx", (subject) => {
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", fixture("localhost-cert.pem")));
  afterAll(() => void vi.unstubAllEnvs());

  it.each([
    [false, 1, 1],
    [false, 10, 1],
    [true, 10, 3],
  ])(
    "on every request, though connections are ended in the middle of it all (TLS %s, %i to a connection, by %i generators)",
    async (secure, streams, generators) => {
      const { url, log } = await startHttp2(secure);
      const options = { options: { streams }, generators, request: { expectBody: "hello" } };
      const { measurement } = await send(subject, url, { connections: 20, requests: 3000 }, options);
      expect(measurement.errorCodes).toEqual({});
      expect(measurement.requests).toMatchObject({ sent: 3000, ok: 3000 });
      expectConservation(measurement);
      // nginx writes its log when a request is over, which may be after its answer was read.
      await vi.waitFor(() => expect(log()).toHaveLength(3000), { timeout: 10_000 });
      const lines = log();
      expect(lines.every((line) => line.endsWith(" 200 HTTP/2.0"))).toBe(true);
      expect(measurement.connections.established).toBe(new Set(lines.map((line) => line.split(" ")[0])).size);
      expect(measurement.connections.established).toBeGreaterThanOrEqual(3000 / REQUESTS_OF_CONNECTION);
      expect(measurement.bytes.body).toBe(3000 * "hello".length);
    },
  );
});
