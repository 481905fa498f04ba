import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryPath } from "@lbbench/test-support/servers.js";
import { startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";

const FILE = Array.from({ length: 2000 }, (_, line) => `line ${line}: the same words again and again\n`).join("");

/** Starts nginx, alone in one process, at a Unix socket; it compresses by its defaults. */
async function startNginx(): Promise<string> {
  const socket = temporaryPath("nginx.sock");
  const folder = dirname(socket);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/t;`,
  );
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http {
      access_log off; ${temporary.join(" ")}
      types { text/plain txt; }
      gzip on; gzip_types text/plain;
      server { listen unix:${socket}; root ${folder}; }
    }`;
  await writeFile(join(folder, "nginx.conf"), config);
  await writeFile(join(folder, "file.txt"), FILE);
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/local/sbin:/usr/sbin:/sbin` };
  const child = spawn("nginx", ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")], { env });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return `unix:${socket}`;
}

describe.runIf(needs("nginx")).each(TRANSPORTS)("nginx behind a balancer by %s", (transport) => {
  it.each([
    ["as it does without one", {}, "gzip"],
    // By default it does not for a proxy, which it knows by the header.
    ["not if the balancer names itself in Via", { via: "edge" }, null],
  ] as const)("compresses a file %s", async (_, options, coding) => {
    const { url } = await startBalancer({ transport, backends: [{ url: await startNginx() }], ...options });
    await expect.poll(async () => (await fetch(`${url}/file.txt`)).status).toBe(200);
    const response = await fetch(`${url}/file.txt`);
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(await response.text()).toBe(FILE);
  });
});
