import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { LOCALHOST_FILES } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { expectConservation } from "./expect-accounts.js";
import { startLoggingNginx } from "./logging-nginx.js";
import { send } from "./measure.js";
import { SUBJECTS } from "./subjects.js";

/** A connection is ended in order after so many requests. */
const REQUESTS_OF_CONNECTION = 100;

const speakers = SUBJECTS.filter(({ load }) => load.httpVersion === "2");

describe.runIf(needs("nginx")).each(speakers)("$name agrees with nginx", (subject) => {
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", LOCALHOST_FILES.cert));
  afterAll(() => void vi.unstubAllEnvs());

  it.each([
    [false, 1, 1],
    [false, 10, 1],
    [true, 10, 3],
  ])(
    "on every request, though connections are ended in the middle of it all (TLS %s, %i to a connection, by %i generators)",
    async (secure, streams, generators) => {
      const settings = `keepalive_requests ${REQUESTS_OF_CONNECTION};`;
      const listen = secure ? "ssl http2" : "http2";
      const { port, log } = await startLoggingNginx("$connection $status $server_protocol", listen, settings);
      const url = `${secure ? "https" : "http"}://127.0.0.1:${port}/`;
      const options = { options: { streams }, generators, request: { expectBody: "hello" } };
      const { measurement } = await send(subject, url, { connections: 20, requests: 3000 }, options);
      expect(measurement.errorCodes).toEqual({});
      expect(measurement.requests).toMatchObject({ sent: 3000, ok: 3000 });
      expectConservation(measurement);
      // nginx writes its log when a request is over, which may be after its answer was read.
      await vi.waitFor(() => expect(log()).toHaveLength(3000), { timeout: 10_000 });
      const lines = log();
      expect(lines.every(([, ...words]) => words.join(" ") === "200 HTTP/2.0")).toBe(true);
      expect(measurement.connections.established).toBe(new Set(lines.map(([connection]) => connection)).size);
      expect(measurement.connections.established).toBeGreaterThanOrEqual(3000 / REQUESTS_OF_CONNECTION);
      expect(measurement.bytes.body).toBe(3000 * "hello".length);
    },
  );
});
