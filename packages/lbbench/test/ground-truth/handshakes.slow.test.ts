import { connect, createServer, type Socket } from "node:net";
import { needs } from "@lbbench/test-support/needs.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { serve } from "@lbbench/test-support/servers.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { median } from "../../src/stats/descriptive.js";
import { startLoggingNginx } from "./logging-nginx.js";
import { send } from "./measure.js";
import { WIRE } from "./subjects.js";

/** Starts nginx. A session with which a connection goes on is `r` in its log, else `.`; the last word is seconds since 1970. */
const startTls = (versions = "TLSv1.2 TLSv1.3") =>
  startLoggingNginx(
    "$connection $ssl_session_reused $ssl_protocol $ssl_cipher $msec",
    "ssl",
    `ssl_protocols ${versions};`,
  );

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

/** Makes connections one after the other by the engine, each with one request; resolves with what was measured of them. */
async function openInTurn(port: number, requests: number, tls: { version: "1.2" | "1.3"; resume?: true }) {
  const options = { requestsPerConnection: 1, insecure: true, tls };
  const { measurement } = await send(WIRE, `https://127.0.0.1:${port}/`, { connections: 1, requests }, options);
  expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
  const { tcp, tls: handshakes, firstByte } = measurement.opening ?? {};
  const openedMs = (of: "p50" | "min"): number => (tcp?.[of] ?? Number.NaN) + (handshakes?.latency[of] ?? Number.NaN);
  return { openedMs, firstByteMs: (of: "p50" | "min"): number => openedMs(of) + (firstByte?.[of] ?? Number.NaN) };
}

describe.runIf(needs("nginx"))("handshakes agree with the log of nginx", () => {
  it.each([
    ["1.2", false],
    ["1.2", true],
    ["1.3", false],
    ["1.3", true],
  ] as const)("TLS %s, resumed: %s", async (version, resume) => {
    const { port, log } = await startTls();
    const url = `https://localhost:${port}/`;
    const tls = { version, ...(resume && { resume }) };
    const options = { requestsPerConnection: 3, insecure: true, generators: 2, tls };
    const { measurement } = await send(WIRE, url, { rate: 900, perConnection: 3, requests: 900 }, options);
    expect(measurement.requests).toMatchObject({ sent: 900, ok: 900 });
    // nginx writes its log when a request is over, which may be after its answer was read.
    await expect.poll(() => log().length).toBe(900);
    const lines = log();
    const connections = new Map(lines.map(([connection = "", reused]) => [connection, reused]));
    const resumed = [...connections.values()].filter((reused) => reused === "r").length;
    expect([connections.size, measurement.connections.established]).toEqual([300, 300]);
    expect(measurement.opening?.tls).toMatchObject({ full: 300 - resumed, resumed });
    expect(resumed > 250).toBe(resume);
    const agreed = Object.keys(measurement.opening?.tls?.agreed ?? {})[0] ?? "";
    expect(agreed.startsWith(`${lines[0]?.[2]}, `)).toBe(true);
  });
});

describe.runIf(needs("nginx") && needs("openssl"))("handshakes take as long as openssl s_time says", () => {
  it.each([
    ["1.2", "-new"],
    ["1.2", "-reuse"],
    ["1.3", "-new"],
  ] as const)("TLS %s, %s, to a tenth", async (version, kind) => {
    const { port, log } = await startTls();
    const path = await startSlowPath(port);
    const flag = version === "1.2" ? "-tls1_2" : "-tls1_3";
    const flags = ["-connect", `127.0.0.1:${path}`, flag, kind, "-www", "/", "-time", "5"];
    await outputOf("openssl", "s_time", ...flags);
    // It counts whole seconds, and the log milliseconds.
    const times = log().map((words) => 1000 * Number(words[4]));
    const theirs = median(times.slice(1).map((time, before) => time - (times[before] ?? Number.NaN)));
    const { firstByteMs } = await openInTurn(path, 10, { version, ...(kind === "-reuse" && { resume: true }) });
    // The first has no session yet.
    expect(firstByteMs("p50") / theirs).toBeGreaterThan(0.9);
    expect(firstByteMs("p50") / theirs).toBeLessThan(1.1);
  });
});

describe.runIf(needs("nginx") && needs("h2load"))("handshakes take as long as h2load says", () => {
  // The quickest of ten each: a pause of the machine is in few of them.
  it.each(["1.2", "1.3"] as const)("TLS %s, to a tenth", async (version) => {
    const { port } = await startTls(`TLSv${version}`);
    const path = await startSlowPath(port);
    const text = await outputOf("h2load", "--h1", "-c", "10", "-n", "10", "-r", "5", `https://127.0.0.1:${path}/`);
    const minMs = (what: string): number => {
      const [, min = "", unit = ""] = new RegExp(`^${what}:\\s+([\\d.]+)(us|ms|s)`, "m").exec(text) ?? [];
      return Number(min) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
    };
    const { openedMs, firstByteMs } = await openInTurn(path, 10, { version });
    for (const ratio of [openedMs("min") / minMs("time for connect"), firstByteMs("min") / minMs("time to 1st byte")]) {
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    }
  });
});
