import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { withServerFolders } from "../../src/child/missing-program.js";
import { undiciEngine } from "../../src/engines/undici/engine.js";
import { connectOnce } from "../../src/servers/connect-once.js";
import { testsOf } from "../../src/servers/test-support/program-installed.js";
import { fixture } from "../support/fixture.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { closedPort } from "./closed-port.js";
import { expectConservation } from "./expect-accounts.js";
import { aContext, aLoad } from "./load.js";

const { run, note } = testsOf("nginx");

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
        location /missing { return 404 "gone"; }
      }
    }`;
}

describe.runIf(run)(`engine undici over HTTP/2 agrees with nginx${note}`, () => {
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", fixture("localhost-cert.pem")));
  afterAll(() => void vi.unstubAllEnvs());
  const children = createChildPool("generator");
  let nginx: ChildProcess | undefined;
  afterEach(async () => {
    if (nginx === undefined) return;
    const exited = once(nginx, "exit");
    nginx.kill("SIGTERM");
    await exited;
    nginx = undefined;
  });
  afterAll(() => children.close());

  const start = async (secure: boolean): Promise<{ readonly url: string; readonly log: () => readonly string[] }> => {
    const folder = temporaryFolder();
    const port = await closedPort();
    writeFileSync(join(folder, "nginx.conf"), configOf(port, secure));
    nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], {
      env: { ...process.env, ...withServerFolders({}) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const url = `${secure ? "https" : "http"}://127.0.0.1:${port}/`;
    await vi.waitFor(() => connectOnce(new URL(url), new AbortController().signal), { timeout: 10_000, interval: 25 });
    const log = (): readonly string[] => readFileSync(join(folder, "access.log"), "utf8").trim().split("\n");
    return { url, log };
  };

  it.each([
    [false, 1, 1],
    [false, 10, 1],
    [false, 10, 3],
    [true, 10, 3],
  ])(
    "on every request, though connections are ended in the middle of it all (TLS %s, %i to a connection, by %i generators)",
    async (secure, streams, generators) => {
      const { url, log } = await start(secure);
      const level = { connections: 20, requests: 3000 };
      const load = aLoad(url, level, {
        httpVersion: "2",
        options: { streams },
        generators,
        request: { expectBody: "hello" },
      });
      const { measurement } = await undiciEngine.run(load, aContext(children));
      expect(measurement.errorCodes).toEqual({});
      expect(measurement.requests).toMatchObject({ sent: 3000, ok: 3000 });
      expectConservation(measurement);
      const lines = await whenWritten(log, 3000);
      expect(lines.every((line) => line.endsWith(" 200 HTTP/2.0"))).toBe(true);
      expect(measurement.connections.established).toBe(new Set(lines.map((line) => line.split(" ")[0])).size);
      expect(measurement.connections.established).toBeGreaterThanOrEqual(3000 / REQUESTS_OF_CONNECTION);
      expect(measurement.bytes.body).toBe(3000 * "hello".length);
    },
  );

  it("on answers that are errors", async () => {
    const { url, log } = await start(false);
    const load = aLoad(
      `${url}missing`,
      { connections: 4, requests: 80 },
      { httpVersion: "2", options: { streams: 2 } },
    );
    const { measurement } = await undiciEngine.run(load, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: 80, non2xx: 80 });
    expect(measurement.statusCodes).toEqual({ "404": 80 });
    expect(await whenWritten(log, 80)).toHaveLength(80);
  });
});

/** nginx writes its log when a request is over, which may be after its answer was read. */
async function whenWritten(log: () => readonly string[], lines: number): Promise<readonly string[]> {
  for (let left = 100; left > 0 && log().length < lines; left -= 1) await setTimeout(20);
  return log();
}
