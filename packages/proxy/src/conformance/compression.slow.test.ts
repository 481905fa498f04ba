import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { startNginx } from "@lbbench/test-support/nginx.js";
import { temporaryPath } from "@lbbench/test-support/servers.js";
import { startBefore } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";

const FILE = Array.from({ length: 2000 }, (_, line) => `line ${line}: the same words again and again\n`).join("");

/** Starts nginx at a Unix socket; it compresses by its defaults. */
function startCompressing(): string {
  const socket = temporaryPath("nginx.sock");
  const http = `access_log off; types { text/plain txt; } gzip on; gzip_types text/plain; server { listen unix:${socket}; root .; }`;
  startNginx(http, { "file.txt": FILE });
  return `unix:${socket}`;
}

describe.runIf(needs("nginx")).each(TRANSPORTS)("nginx behind a balancer by %s", (transport) => {
  it.each([
    ["as it does without one", {}, "gzip"],
    // By default it does not for a proxy, which it knows by the header.
    ["not if the balancer names itself in Via", { via: "edge" }, null],
  ] as const)("compresses a file %s", async (_, options, coding) => {
    const { url } = await startBefore({ url: startCompressing() }, { transport, ...options });
    await expect.poll(async () => (await fetch(`${url}/file.txt`)).status).toBe(200);
    const response = await fetch(`${url}/file.txt`);
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(await response.text()).toBe(FILE);
  });
});
