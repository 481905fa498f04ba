import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { withServerFolders } from "../../src/system/program.js";
import { connectOnce, findFreePort } from "../../src/system/listen.js";
import { fixture } from "../support/fixture.js";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { expectConservation } from "./expect-accounts.js";
import { send } from "./measure.js";
import { SUBJECTS } from "./subjects.js";

/** A connection is ended in order after so many requests. */
const REQUESTS_OF_CONNECTION = 100;

/** Writes a line for each request: its connection, its status, and how long it was. */
function configOf(port: number, secure: boolean): string {
  const certificate = secure
    ? `ssl_certificate ${fixture("localhost-cert.pem")}; ssl_certificate_key ${fixture("localhost-key.pem")};`
    : "";
  return `
    daemon off; master_process off; pid nginx.pid; error_log stderr crit;
    events { worker_connections 512; }
    http {
      log_format plain "$connection $status $server_protocol";
      access_log access.log plain;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      keepalive_requests ${REQUESTS_OF_CONNECTION};
      server {
        listen 127.0.0.1:${port} ${secure ? "ssl " : ""}http2;
        ${certificate}
        location / { return 200 "hello"; }
      }
    }`;
}

/** Starts nginx until the test has finished; `log` reads the lines that it has written. */
async function startNginx(secure: boolean): Promise<{ readonly url: string; readonly log: () => readonly string[] }> {
  const folder = temporaryFolder();
  const port = await findFreePort();
  writeFileSync(join(folder, "nginx.conf"), configOf(port, secure));
  const nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], {
    env: { ...process.env, ...withServerFolders({}) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(nginx, "exit");
  onTestFinished(async () => {
    nginx.kill("SIGTERM");
    await exited;
  });
  const url = `${secure ? "https" : "http"}://127.0.0.1:${port}/`;
  await vi.waitFor(() => connectOnce(new URL(url), new AbortController().signal), { timeout: 10_000, interval: 25 });
  return { url, log: () => readFileSync(join(folder, "access.log"), "utf8").trim().split("\n") };
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
      const { url, log } = await startNginx(secure);
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
