import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { reply, startHttp2Server, type Http2Server } from "../../test/ground-truth/http2-server.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { ExitCode } from "./exit-code.js";

const SHORT = ["-n", "200", "-c", "1,10", "--warmup", "0", "-f", "md", "-o", "out"];

describe("lbbench over HTTP/2", () => {
  let server: Http2Server | undefined;
  afterEach(() => server?.close());

  it("sweeps a server that speaks nothing else, and says so in the report", async () => {
    server = await startHttp2Server(() => reply());
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["sweep", "--http2", server.url, ...SHORT], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    const result = readStoredResult(join(cwd, "out"));
    expect(result.scenario).toMatchObject({ httpVersion: "2", engine: { name: "undici", options: { streams: 1 } } });
    expect(result.steps.map(({ measurement }) => measurement?.requests.ok)).toEqual([200, 200]);
    const report = readMarkdown(join(cwd, "out"));
    expect(report).toMatch(/^Load test of .*; HTTP\/2\. Measured on/m);
    expect(report).toMatch(/^\| Protocol +\| HTTP\/2 +\|$/m);
  });

  it("lets users share connections", async () => {
    server = await startHttp2Server(() => reply());
    const cwd = temporaryFolder();
    const args = ["sweep", "--http2", "--streams", "5", server.url, ...SHORT];
    const { code, stderr } = await runCli(args, cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    const connections = readStoredResult(join(cwd, "out")).steps.map(({ measurement }) => measurement?.connections);
    expect(connections).toMatchObject([
      { asked: 1, opened: 1 },
      { asked: 2, opened: 2 },
    ]);
    expect(readMarkdown(join(cwd, "out"))).toContain("HTTP/2, up to 5 users on a connection");
  });

  it.each([
    ["max", ["--most", "2", "--trials", "1", "-d", "500ms"]],
    ["ramp", ["--from", "1", "--to", "4", "--over", "300ms", "--hold", "200ms"]],
  ])("is known to lbbench %s as well", async (command, flags) => {
    server = await startHttp2Server(() => reply({ delayMs: 1 }));
    const cwd = temporaryFolder();
    const args = [command, "--http2", "--streams", "2", server.url, ...flags, "--warmup", "0", "-f", "md", "-o", "out"];
    const { stderr } = await runCli(args, cwd);
    const { scenario, steps } = readStoredResult(join(cwd, "out"));
    expect(scenario.httpVersion, stderr).toBe("2");
    for (const { measurement } of steps) {
      expect(measurement?.requests.ok).toBeGreaterThan(0);
      expect(measurement?.connections.opened).toBe(measurement?.connections.asked);
    }
    expect(server.log.mostStreams).toBe(2);
  });

  it.each<[string, readonly string[], string]>([
    ["another engine", ["--http2", "--engine", "autocannon"], 'The engine "autocannon" cannot speak HTTP/2.'],
    [
      "streams without HTTP/2",
      ["--engine", "undici", "--streams", "2"],
      "Expected streams (--streams) only with HTTP/2",
    ],
    ["streams without HTTP/2 and an engine", ["--streams", "2"], "--engine undici"],
    ["no streams", ["--http2", "--streams", "0"], "engines.undici.streams"],
    [
      "streams of connections that are not kept",
      ["--http2", "--streams", "2", "--no-keepalive"],
      "Expected streams (--streams) only where connections are kept",
    ],
    [
      "headers of connections",
      ["--http2", "-H", "Connection: close"],
      'got "Connection", which is about the connection',
    ],
  ])("refuses %s before anything is sent", async (_, flags, message) => {
    const { url, requests } = await startTestServer();
    const { code, stderr } = await runCli(["sweep", url, ...flags, ...SHORT], temporaryFolder());
    expect(stderr).toContain(message);
    expect(code).toBe(ExitCode.usage);
    expect(requests()).toBe(0);
  });
});
