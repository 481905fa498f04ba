import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { statusesIn, wireClient } from "../test-support/wire.js";

const run = promisify(execFile);

/** Answers h2spec has to have: to GET and POST, with a body. */
async function startFront(options: { readonly tls?: typeof LOCALHOST } = {}) {
  const backend = await startBackend((incoming, response) => {
    incoming.resume().once("end", () => response.end(`${incoming.method} ${incoming.url}`));
  });
  return startBalancer({ backends: [{ url: backend.url, name: "one" }], ...options });
}

/** Runs all cases of h2spec, the strict one as well; returns how many it ran, and which failed. */
async function h2spec(port: number, ...flags: readonly string[]) {
  const args = ["--strict", "--host", "127.0.0.1", "--port", String(port), "--timeout", "10", ...flags];
  // Its exit code is 1 where a case fails.
  const { stdout } = await run("h2spec", args).catch((error: unknown) => error as { stdout: string });
  const [, tests] = /^(\d+) tests, /m.exec(stdout) ?? [];
  const [, failures = ""] = stdout.split(/^Failures: *$/m);
  const failed = [...failures.matchAll(/× \d+: (.*)$/gm)].map(([, what]) => what);
  return { tests: Number(tests), failed };
}

describe.runIf(needs("h2spec"))("h2spec", () => {
  it("passes whole against a balancer under TLS", async () => {
    const { port } = await startFront({ tls: LOCALHOST });
    expect(await h2spec(port, "--tls", "--insecure")).toEqual({ tests: 146, failed: [] });
  });

  it("passes on a plain port but for one case: what begins neither version of HTTP is refused in HTTP/1.1", async () => {
    const { port } = await startFront();
    expect(await h2spec(port)).toEqual({ tests: 146, failed: ["Sends invalid connection preface"] });
    // h2spec wants that the connection is closed. It is, behind an answer that a client of HTTP/1.1 can read.
    const answer = await wireClient(port, "INVALID CONNECTION PREFACE\r\n\r\n").ended();
    expect(statusesIn(answer)).toEqual([400]);
  });
});

describe.runIf(needs("curl"))("curl", () => {
  const FORMAT = ["--silent", "--insecure", "--write-out", " %{http_version} %{response_code}"];

  it("speaks HTTP/2 with a balancer by prior knowledge, and by ALPN", async () => {
    const plain = await startFront();
    const secure = await startFront({ tls: LOCALHOST });
    const known = await run("curl", [...FORMAT, "--http2-prior-knowledge", `${plain.url}/a`]);
    expect(known.stdout).toBe("GET /a 2 200");
    const chosen = await run("curl", [...FORMAT, "--http2", "--data", "body", `${secure.url}/b`, `${secure.url}/c`]);
    expect(chosen.stdout).toBe("POST /b 2 200POST /c 2 200");
  });

  it("goes on in HTTP/1.1 where it asks for HTTP/2 by an upgrade", async () => {
    const { url } = await startFront();
    expect((await run("curl", [...FORMAT, "--http2", `${url}/a`])).stdout).toBe("GET /a 1.1 200");
  });
});
