import { copyFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { GRPC_SAMPLE, startGrpc, startWebSocket } from "@lbbench/backends";
import { describe, expect, it, onTestFinished } from "vitest";
import { reply, startHttp2Server } from "../../test/ground-truth/http2-server.js";
import { expectClosed } from "../../test/support/expect-closed.js";
import { runAndRead } from "../../test/support/run-and-read.js";
import { runCommand } from "../../test/support/run-command.js";
import { serve, temporaryPath } from "@lbbench/test-support/servers.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./io.js";

const SHORT = "--warmup 0 -f md -o out";

describe("lbbench sweep", () => {
  it("connects to a Unix socket in place of the address of a URL, and prints no warning", async () => {
    const path = temporaryPath("app.sock");
    await serve(
      createServer((_, answer) => void answer.end()),
      path,
    );
    const line = `sweep http://app.test/ --connect-to unix:${path} -c 2 -n 100 ${SHORT}`;
    const { steps, stderr } = await runAndRead(line);
    expect(stderr).not.toMatch(/warning/i);
    expect(steps[0]?.measurement?.requests.ok).toBe(100);
  });

  it("opens connections at a rate, each with its requests, and tells how long that took", async () => {
    const line = `sweep -t single --by connections -r 100,200 --requests-per-connection 3 -n 90 ${SHORT}`;
    const { scenario, steps, stdout, report } = await runAndRead(line);
    expect(stdout).toMatch(/^target +conns\/s .*\nsingle +100 .*\nsingle +200 /m);
    expect(scenario).toMatchObject({ keepAlive: true, requestsPerConnection: 3 });
    expect(steps.map(({ level, measurement }) => [level, measurement?.connections.established])).toEqual([
      [{ rate: 300, perConnection: 3, requests: 90 }, 30],
      [{ rate: 600, perConnection: 3, requests: 90 }, 30],
    ]);
    expect(report()).toContain("at 100, 200 new connections/s; 90 requests each");
    expect(report()).toContain("a new connection for every 3 requests");
    expect(report()).toMatch(/\| New connections\/s \| Connections\/s \| TCP, p50 \(ms\)/);
    expect(`${report()}${stdout}`).not.toContain("?");
  });

  it("compares the same work by HTTP over gRPC and by gRPC, each with an engine that speaks it", async () => {
    const { steps, scenario, stdout } = await runAndRead(`sweep -t grpc-gateway -t grpc -c 4 -n 200 ${SHORT}`);
    expect(stdout).toMatch(/^grpc-gateway .*^grpc /ms);
    expect(scenario.reference).toBe("grpc-gateway");
    expect(steps.map(({ target, engine, measurement }) => [target, engine, measurement?.statusCodes])).toEqual([
      ["grpc-gateway", "autocannon", { "200": 200 }],
      ["grpc", "grpc", { OK: 200 }],
    ]);
  });

  it("calls a method of a file beside the config, with a message, at a gRPC server that is running", async () => {
    const service = await startGrpc({ handler: "error:50%,status=503" });
    onTestFinished(() => service.stop());
    const folder = temporaryFolder();
    copyFileSync(GRPC_SAMPLE.protoFile, join(folder, "mine.proto"));
    writeConfig(folder, { engines: { grpc: { proto: "mine.proto" } }, targets: [service.url] });
    const config = ["--config", join(folder, "lbbench.config.json")];
    const flags = ["--call", "lbbench.sample.Work/Do", "-b", '{"content_type": "text/plain"}', "--channels", "2"];
    const words = ["sweep", ...config, ...flags, "-c", "4", "-n", "200", ...SHORT.split(" ")];
    const { steps, scenario } = await runAndRead(words, temporaryFolder(), ExitCode.inconclusive);
    expect(scenario.engine).toMatchObject({ name: "grpc", options: { proto: "mine.proto", channels: 2 } });
    expect(steps[0]?.measurement).toMatchObject({
      connections: { asked: 2, opened: 2 },
      requests: { sent: 200, ok: 100, non2xx: 100 },
      statusCodes: { OK: 100, UNAVAILABLE: 100 },
    });
    expect(steps[0]?.findings).toContainEqual(
      expect.objectContaining({ code: "NON_2XX", args: expect.objectContaining({ status: "UNAVAILABLE" }) }),
    );
  });

  it("takes one command for a server of WebSockets, and counts the echoes as the server does", async () => {
    const server = await startWebSocket({ handler: "hello" });
    onTestFinished(() => server.stop());
    const { steps, scenario, stdout } = await runAndRead(`sweep ${server.url}/echo -c 2,8 -n 400 ${SHORT}`);
    expect(stdout).toContain(`${new URL(server.url).host}/echo`);
    expect(scenario.engine).toMatchObject({ name: "websocket", options: { sockets: 100 } });
    expect(steps.map(({ measurement }) => measurement?.requests.ok)).toEqual([400, 400]);
    expect(await server.requests()).toBe(800);
  });

  it("sends messages at a rate over as many WebSockets as it is told, through our balancer, whose backends count them", async () => {
    const cwd = temporaryFolder();
    const behind = (name: string, options: object) => ({
      name,
      server: "balanced",
      options: { ...options, backends: [{ server: "websocket", count: 2 }] },
    });
    writeConfig(cwd, { targets: [behind("http", {}), behind("tcp", { mode: "tcp" }), behind("tls", { tls: true })] });
    const { steps } = await runAndRead(`sweep -r 400 -n 200 --sockets 6 -b message ${SHORT}`, cwd);
    for (const { measurement, engine, findings } of steps) {
      expect(engine).toBe("websocket");
      expect(measurement?.connections).toEqual({ asked: 6, opened: 6, established: 6 });
      expect(measurement?.requests).toMatchObject({ sent: 200, ok: 200 });
      const counts = Object.values(measurement?.backends ?? {}).map(({ requests }) => requests);
      // Three of six WebSockets each, which are used in turn.
      expect(counts.map((count) => Math.abs(count - 100) <= 3)).toEqual([true, true]);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
      expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    }
  });

  it("splits the latency of every answer by what backends and balancer tell, and says so in the report", async () => {
    const cwd = temporaryFolder();
    const options = { backends: 2, limits: { connectionsPerBackend: 1 } };
    const targets = ["single", { name: "queueing", server: "balanced", options }];
    writeConfig(cwd, { targets, serverTiming: true });
    const { scenario, steps, report } = await runAndRead(`sweep -c 8 -n 200 ${SHORT}`, cwd);
    expect(scenario.serverTiming).toBe(true);
    const [single, queueing] = steps.map(({ measurement }) => measurement?.serverTiming);
    expect([single, queueing]).toMatchObject([{ told: 200 }, { told: 200 }]);
    expect(single).not.toHaveProperty("balancer");
    expect(queueing?.balancer?.queue?.max).toBeGreaterThan(0);
    expect(report()).toMatch(/\| Target .*\| Backend, p50 \(ms\) .*\| Queue, p99 \(ms\) /);
  });

  it("sends HTTP/2 to a server that speaks nothing else, with users that share connections, and says so in the report", async () => {
    const server = await startHttp2Server(() => reply());
    onTestFinished(() => server.close());
    const { scenario, steps, report } = await runAndRead(
      `sweep ${server.url} --http2 --streams 5 -c 1,10 -n 200 ${SHORT}`,
    );
    expect(scenario).toMatchObject({ httpVersion: "2", engine: { name: "wire", options: { streams: 5 } } });
    expect(steps.map(({ measurement }) => [measurement?.requests.ok, measurement?.connections])).toMatchObject([
      [200, { asked: 1, opened: 1 }],
      [200, { asked: 2, opened: 2 }],
    ]);
    expect(report()).toContain("HTTP/2, up to 5 users on a connection");
  });

  it("sends the requests of a mix in proportion, paths from the folder of its file, and reports them one by one", async () => {
    const bodies: string[] = [];
    const shop = await startTestServer({
      onRequest: (request, response) =>
        void text(request).then((body) => {
          if (request.method === "POST") bodies.push(body);
          response.writeHead(request.url === "/broken" ? 503 : 200).end("hello");
        }),
    });
    const mix = [
      { weight: 7 },
      { name: "add to cart", method: "POST", path: "/cart", weight: 2, bodiesFile: "carts.jsonl" },
      { path: "/broken" },
    ];
    const cwd = temporaryFolder({
      "load/carts.jsonl": '{"item":1}\n{"item":2}\n',
      "load/mix.json": JSON.stringify(mix),
      // What the file says of requests is for others than those of a mix of the command line.
      "lbbench.config.json": '{ "request": { "body": "unused" } }',
    });
    const words = `sweep ${shop.url}api?k=1 --mix load/mix.json -n 300 -c 1,10 ${SHORT}`;
    const { command, scenario, steps, report } = await runAndRead(words, cwd, ExitCode.inconclusive);
    expect(command).toBe(`npx lbbench ${words.replace(/(http\S+)/, "'$1'")} --config lbbench.config.json`);
    expect(scenario.engine.name).toBe("wire");
    for (const { measurement } of steps) {
      expect(measurement?.mix).toMatchObject([
        { name: "GET /api?k=1", sent: 210, ok: 210, failed: 0 },
        { name: "add to cart", sent: 60, ok: 60, failed: 0 },
        { name: "GET /broken", sent: 30, ok: 0, failed: 30 },
      ]);
    }
    expect(shop.requests()).toBe(600);
    expect(bodies.toSorted()).toEqual(['{"item":1}', '{"item":2}'].flatMap((body) => Array<string>(60).fill(body)));
    expect(report().replaceAll(/ +/g, " ")).toContain("| 10 | add to cart | 60 | 20.0 | 60 | 0 |");
  });

  it("exits with 4 when nothing listens at a URL, and leaves no folder and no page open", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await runCommand("sweep http://127.0.0.1:1 --live", cwd);
    expect({ code, stdout }).toEqual({ code: ExitCode.unreachable, stdout: "" });
    expect(stderr).toMatch(/^Live: \S+\nerror: Expected a server that answers at [^]*ECONNREFUSED/);
    expect(readdirSync(cwd)).toEqual([]);
    await expectClosed([Number(new URL(/^Live: (\S+)/.exec(stderr)?.[1] ?? "").port)]);
  });

  it("runs the config of base and head that lbbench init has written, side by side, as the workflow has them", async () => {
    const server = 'require("node:http").createServer((_, response) => response.end()).listen(process.env.PORT);';
    const manifest = '{ "name": "shop", "scripts": { "start": "node server.js" } }';
    const cwd = temporaryFolder({
      "base/server.js": server,
      "base/package.json": manifest,
      "head/server.js": server,
      "head/package.json": manifest,
    });
    const init = await runCommand("init --workflow --format ts", join(cwd, "head"));
    expect(init.code, init.stderr).toBe(ExitCode.pass);
    const line = `sweep --config head/lbbench.pull-request.ts -c 1 -n 50 --trials 1 ${SHORT}`;
    const { steps } = await runAndRead(line, cwd, ExitCode.inconclusive);
    const counts = steps.map(({ target, measurement }) => [target, measurement?.requests.ok]);
    expect(counts).toEqual([
      ["base", 50],
      ["head", 50],
    ]);
  });
});
