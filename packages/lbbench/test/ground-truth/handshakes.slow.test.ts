import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { LOCALHOST_FILES } from "@lbbench/test-support/certificates.js";
import { isListening } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { needs } from "@lbbench/test-support/needs.js";
import { startNginx } from "@lbbench/test-support/nginx.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { serve } from "@lbbench/test-support/servers.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { median } from "../../src/stats/descriptive.js";
import { findFreePort } from "../../src/system/listen.js";
import { send } from "./measure.js";
import { WIRE } from "./subjects.js";

/** Starts nginx, which speaks TLS; `times` reads when each request came, in ms since 1970. */
async function startTls(versions: string) {
  const port = await findFreePort();
  const folder = startNginx(`
    log_format plain "$msec";
    access_log access.log plain;
    ssl_protocols ${versions};
    server {
      listen 127.0.0.1:${port} ssl;
      ssl_certificate ${LOCALHOST_FILES.cert}; ssl_certificate_key ${LOCALHOST_FILES.key};
      location / { return 200 "hello"; }
    }`);
  await expectSoon(() => isListening(port)).toBe(true);
  const times = () =>
    readFileSync(join(folder, "access.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => 1000 * Number(line));
  return { port, times };
}

/** Milliseconds that a byte is on its way, in each direction: so long that what the processors do matters little. */
const DELAY_MS = 100;

/** Starts a path to a port over which each piece takes so long, until the test has finished; resolves with its own port. */
async function startSlowPath(to: number): Promise<number> {
  const behind: Socket[] = [];
  const carry = (from: Socket, into: Socket): void => {
    from.on("data", (piece) => setTimeout(() => into.write(piece), DELAY_MS));
    from.on("end", () => setTimeout(() => into.end(), DELAY_MS));
    from.on("error", () => into.destroy());
  };
  const path = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ port: to, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    carry(near, far);
    carry(far, near);
    behind.push(far);
  });
  onTestFinished(() => behind.forEach((far) => far.destroy()));
  return (await serve(path)).port;
}

/** Runs a program to its end; resolves with what it printed. */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  const { code, stdout } = await startProgram(program, args, process.cwd()).ended;
  expect(code).toBe(0);
  return stdout;
}

/** Makes ten connections one after the other by the engine, each with one request; resolves with what was measured of them. */
async function openInTurn(port: number, tls: { version: "1.2" | "1.3"; resume?: true }) {
  const options = { requestsPerConnection: 1, insecure: true, tls };
  const { measurement } = await send(WIRE, `https://127.0.0.1:${port}/`, { connections: 1, requests: 10 }, options);
  expect(measurement.requests).toMatchObject({ sent: 10, ok: 10 });
  const { tcp, tls: handshakes, firstByte } = measurement.opening ?? {};
  const openedMs = (of: "p50" | "min"): number => (tcp?.[of] ?? Number.NaN) + (handshakes?.latency[of] ?? Number.NaN);
  return { openedMs, firstByteMs: (of: "p50" | "min"): number => openedMs(of) + (firstByte?.[of] ?? Number.NaN) };
}

function expectToATenth(ours: number, theirs: number): void {
  expect(ours / theirs).toBeGreaterThan(0.9);
  expect(ours / theirs).toBeLessThan(1.1);
}

describe("handshakes take as long", () => {
  it.runIf(needs("nginx", "openssl"))("with a session as openssl s_time says, to a tenth", async () => {
    const { port, times } = await startTls("TLSv1.2");
    const path = await startSlowPath(port);
    const flags = ["-connect", `127.0.0.1:${path}`, "-tls1_2", "-reuse", "-www", "/", "-time", "5"];
    await outputOf("openssl", "s_time", ...flags);
    // It counts whole seconds, and the log milliseconds.
    const told = times();
    const theirs = median(told.slice(1).map((time, before) => time - (told[before] ?? Number.NaN)));
    const { firstByteMs } = await openInTurn(path, { version: "1.2", resume: true });
    // The first has no session yet.
    expectToATenth(firstByteMs("p50"), theirs);
  });

  // The quickest of ten each: a pause of the machine is in few of them.
  it.runIf(needs("nginx", "h2load")).each(["1.2", "1.3"] as const)(
    "in full as h2load says, TLS %s",
    async (version) => {
      const { port } = await startTls(`TLSv${version}`);
      const path = await startSlowPath(port);
      const text = await outputOf("h2load", "--h1", "-c", "10", "-n", "10", "-r", "5", `https://127.0.0.1:${path}/`);
      const minMs = (what: string): number => {
        const [, min = "", unit = ""] = new RegExp(`^${what}:\\s+([\\d.]+)(us|ms|s)`, "m").exec(text) ?? [];
        return Number(min) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
      };
      const { openedMs, firstByteMs } = await openInTurn(path, { version });
      expectToATenth(openedMs("min"), minMs("time for connect"));
      expectToATenth(firstByteMs("min"), minMs("time to 1st byte"));
    },
  );
});
