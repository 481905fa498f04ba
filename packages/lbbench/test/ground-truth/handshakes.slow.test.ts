import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { wireClients } from "../../src/engines/wire/clients.js";
import { wireEngine } from "../../src/engines/wire/engine.js";
import { connectOnce, findFreePort } from "../../src/system/listen.js";
import { withServerFolders } from "../../src/system/program.js";
import { fixture } from "../support/fixture.js";
import { send } from "./measure.js";

/** Writes a line for each request: its connection, whether that went on with a session (`r`, else `.`), version and cipher. */
const configOf = (port: number): string => `
  daemon off; master_process off; pid nginx.pid; error_log stderr crit;
  events { worker_connections 512; }
  http {
    log_format plain "$connection $ssl_session_reused $ssl_protocol $ssl_cipher";
    access_log access.log plain;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    ssl_protocols TLSv1.2 TLSv1.3;
    server {
      listen 127.0.0.1:${port} ssl;
      ssl_certificate ${fixture("localhost-cert.pem")}; ssl_certificate_key ${fixture("localhost-key.pem")};
      location / { return 200 "hello"; }
    }
  }`;

/** Starts nginx until the test has finished; `log` reads the words of the lines that it has written. */
async function startNginx() {
  const folder = temporaryFolder();
  const port = await findFreePort();
  writeFileSync(join(folder, "nginx.conf"), configOf(port));
  const nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], {
    env: { ...process.env, ...withServerFolders({}) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(nginx, "exit");
  onTestFinished(async () => {
    nginx.kill("SIGTERM");
    await exited;
  });
  const url = `https://localhost:${port}/`;
  const plain = new URL(`http://127.0.0.1:${port}`);
  await vi.waitFor(() => connectOnce(plain, new AbortController().signal), { timeout: 10_000, interval: 25 });
  const log = () =>
    readFileSync(join(folder, "access.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
  return { url, log };
}

describe.runIf(needs("nginx"))("handshakes agree with the log of nginx", () => {
  it.each([
    ["1.2", false],
    ["1.2", true],
    ["1.3", false],
    ["1.3", true],
  ] as const)("TLS %s, resumed: %s", async (version, resume) => {
    const { url, log } = await startNginx();
    const sender = { engine: wireEngine, prepare: wireClients, load: {} };
    const tls = { version, ...(resume && { resume }) };
    const options = { requestsPerConnection: 3, insecure: true, generators: 2, tls };
    const { measurement } = await send(sender, url, { rate: 900, perConnection: 3, requests: 900 }, options);
    expect(measurement.requests).toMatchObject({ sent: 900, ok: 900 });
    const lines = log();
    const connections = new Map(lines.map(([connection = "", reused]) => [connection, reused]));
    const resumed = [...connections.values()].filter((reused) => reused === "r").length;
    expect([lines.length, connections.size, measurement.connections.established]).toEqual([900, 300, 300]);
    expect(measurement.opening?.tls).toMatchObject({ full: 300 - resumed, resumed });
    expect(resumed > 250).toBe(resume);
    const agreed = Object.keys(measurement.opening?.tls?.agreed ?? {})[0] ?? "";
    expect(agreed.startsWith(`${lines[0]?.[2]}, `)).toBe(true);
  });
});
