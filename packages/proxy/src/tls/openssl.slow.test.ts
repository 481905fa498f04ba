import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LOCALHOST, SHOP } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startBackend } from "../test-support/servers.js";
import { startWorkers } from "../test-support/workers-started.js";

const ASKED = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/** Runs `openssl s_client`, which asks once on its last connection; returns what it says of each: `New` or `Reused`. */
async function openssl(port: number, ...flags: readonly string[]): Promise<readonly string[]> {
  const stdout = await new Promise<string>((resolve, reject) => {
    const args = ["s_client", "-connect", `127.0.0.1:${port}`, "-servername", "localhost", "-ign_eof", ...flags];
    const child = execFile("openssl", args, (error, said) => (error === null ? resolve(said) : reject(error)));
    child.stdin?.end(ASKED);
  });
  expect(stdout).toMatch(/^HTTP\/1\.1 200 /m);
  return [...stdout.matchAll(/^(New|Reused), TLSv1/gm)].map(([, what = ""]) => what);
}

describe.runIf(needs("openssl"))("openssl s_client, of a balancer in two workers,", () => {
  async function startTwo() {
    const backend = await startBackend((_, response) => response.end("served"));
    const tls = { certificates: [SHOP, LOCALHOST] };
    return startWorkers({ workers: 2, balancer: { backends: [{ url: backend.url }], tls } });
  }

  it("says that TLS 1.2 goes on with its session on five connections more", async () => {
    const { port, snapshot } = await startTwo();
    const seen = await openssl(port, "-tls1_2", "-reconnect");
    expect(seen).toEqual(["New", ...Array.from({ length: 5 }, () => "Reused")]);
    expect((await snapshot()).handshakes).toEqual({ full: 1, resumed: 5, failed: 0 });
  });

  it.each(["-tls1_2", "-tls1_3"])("says that a session from a file is resumed: %s", async (version) => {
    const { port, snapshot } = await startTwo();
    const file = join(temporaryFolder(), "session.pem");
    expect(await openssl(port, version, "-sess_out", file)).toEqual(["New"]);
    for (let time = 0; time < 4; time++) expect(await openssl(port, version, "-sess_in", file)).toEqual(["Reused"]);
    expect((await snapshot()).handshakes).toEqual({ full: 1, resumed: 4, failed: 0 });
  });

  it("says that no session is resumed without tickets", async () => {
    const { port, snapshot } = await startTwo();
    const seen = await openssl(port, "-tls1_2", "-no_ticket", "-reconnect");
    expect(new Set(seen)).toEqual(new Set(["New"]));
    expect((await snapshot()).handshakes).toEqual({ full: 6, resumed: 0, failed: 0 });
  });
});
