/** HTTP/2 and gRPC: what engines make of one core beside h2load and ghz, and the balancer beside nginx. nginx answers from another core. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "lbbench/testing";
import { processTree, readProcStat } from "../../packages/lbbench/dist/system/proc.js";
import { inTurn, makeFolder, pin, runOn, startChild, startNginx, sweepOn } from "../rounds.mjs";

const CORES = { server: "0", load: "1" };
/** What the balancer is loaded with, too: as h2load names them. */
const CLIENTS = { connections: 10, streams: 10 };
const CALLERS = { callers: 50, connections: 4 };
const METHOD = "lbbench.sample.Work/Do";
const PROTO = fileURLToPath(new URL("../../packages/backends/proto/work.proto", import.meta.url));
const here = (name) => fileURLToPath(new URL(`../http2/${name}`, import.meta.url));

/** An empty message of gRPC: the five bytes that go in front of it. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** Where nginx speaks HTTP/2: it takes either version at an address, and is asked over HTTP/1.1 whether it is ready. */
const overHttp2 = (url) => url.replace("127.0.0.1", "127.0.0.2");

/** Processor time of all programs that this process has run to their end. */
const reapedMs = () => readProcStat(process.pid).reapedCpuMs;

/** Processor time of a process and all that descend from it. */
const cpuMs = (root) => processTree(root).reduce((sum, pid) => sum + (readProcStat(pid)?.cpuMs ?? 0), 0);

/** Of the calls through nginx: it answers one in some thousands with 502, because it takes a frame behind the end of an answer for one of another stream. */
const MOST_LOST_BY_NGINX = 0.001;

function expectNone(failed, generator, most = 0) {
  if (failed > most) throw new Error(`expected no request to fail, but ${failed} of ${generator} did`);
}

/** A run of h2load, with the processor time that it took for each request, in us. */
async function byH2load(url, requests, flags = [], mostFailed = 0) {
  const before = reapedMs();
  const { connections, streams } = CLIENTS;
  const load = ["-n", requests, "-c", connections, "-m", streams, "-t", 1];
  const text = await runOn(CORES.load, "h2load", ...load, ...flags, url);
  const rate = Number(/finished in .*, ([\d.]+) req\/s/.exec(text)?.[1]);
  const ok = Number(/status codes: (\d+) 2xx/.exec(text)?.[1]);
  if (!Number.isFinite(rate + ok)) throw new Error(`h2load printed no rate:\n${text}`);
  expectNone(requests - ok, "h2load", mostFailed);
  return { rate, cpuUs: ((reapedMs() - before) / requests) * 1000 };
}

/** A run of ghz: its rate, its median latency in ms, and the processor time of a call in us. */
async function byGhz(url, { callers, connections }, calls) {
  const before = reapedMs();
  const load = ["-n", calls, "-c", callers, "--connections", connections, "--cpus", 1];
  const { host } = new URL(url);
  const flags = ["--insecure", "--proto", PROTO, "--call", METHOD, "-d", "{}", "-O", "json"];
  const report = JSON.parse(await runOn(CORES.load, "ghz", ...load, ...flags, host));
  expectNone(calls - (report.statusCodeDistribution.OK ?? 0), "ghz");
  const p50 = report.latencyDistribution.find(({ percentage }) => percentage === 50).latency / 1e6;
  return { rate: report.rps, p50, cpuUs: ((reapedMs() - before) / calls) * 1000 };
}

/** A step of `lbbench sweep`: its rate, its median latency in ms, and the processor time of its generator for each request in us. */
async function byLbbench(url, ...flags) {
  const { measurement, usage } = await sweepOn(CORES.load, url, "--generators", 1, "--warmup", "2s", ...flags);
  const { requests, throughput, latency } = measurement;
  expectNone(requests.sent - requests.ok - requests.inFlight, "lbbench");
  const cpu = usage.generator.reduce((sum, generator) => sum + generator.cpu, 0);
  return { rate: throughput, p50: latency.p50, cpuUs: (cpu / throughput) * 1e6 };
}

/** The balancer, and nginx as a proxy, each in front of the same servers, on a core of their own. */
async function startProxies(http1, http2, after) {
  const folder = await makeFolder();
  const upstreams = join(folder, "upstreams.conf");
  const upstream = (name, url) => `upstream ${name} { server ${new URL(url).host}; keepalive 128; }\n`;
  await writeFile(upstreams, upstream("http1", http1) + upstream("http2", http2));
  const command = ["nginx", "-p", "{folder}", "-e", "stderr", "-c", "nginx.conf"];
  const files = { "nginx.conf": here("proxy.conf"), "upstreams.conf": upstreams };
  const nginx = await startServer("command", { command, files, readyPath: "/small" });
  after(nginx.stop);
  const startBalancer = async (backend) => {
    const program = fileURLToPath(new URL("../proxy/node.mjs", import.meta.url));
    const child = await startChild(program, ["lbbench", JSON.stringify([backend]), "{}"], ["--max-semi-space-size=32"]);
    after(child.stop);
    return { pid: child.pid, url: `http://127.0.0.1:${child.ready}` };
  };
  const other = { pid: nginx.processes[0].pid, url: overHttp2(nginx.url), mostFailed: MOST_LOST_BY_NGINX };
  const proxies = {
    toHttp1: { ours: await startBalancer(http1), nginx: other },
    toHttp2: { ours: await startBalancer(http2.replace("http:", "h2c:")), nginx: other },
  };
  for (const { ours } of Object.values(proxies)) pin(CORES.server, ours.pid);
  pin(CORES.server, nginx.processes[0].pid);
  return proxies;
}

/** What goes through a proxy: its rate, and its processor time for each request in us. */
async function through({ url, pid, mostFailed = 0 }, path, requests, flags) {
  const before = cpuMs(pid);
  const { rate } = await byH2load(`${url}${path}`, requests, flags, mostFailed * requests);
  return { rate, cpuUs: ((cpuMs(pid) - before) / requests) * 1000 };
}

export const http2Bench = {
  needs: ["nginx", "h2load", "ghz"],
  rounds: 5,
  inParts: true,
  async open({ quick, quietly, after }) {
    const folder = await makeFolder();
    const message = join(folder, "message");
    await writeFile(message, EMPTY_MESSAGE);
    const startAnswering = async (core) => {
      const command = ["nginx", "-p", "{folder}", "-e", "stderr", "-c", "nginx.conf"];
      const files = { "nginx.conf": here("server.conf"), message };
      const server = await startServer("command", { command, files, readyPath: "/small" });
      after(server.stop);
      pin(core, server.processes[0].pid);
      return overHttp2(server.url);
    };
    const url = await startAnswering(CORES.server);
    const grpc = url.replace("http:", "grpc:");
    // A proxy has a core to itself: what stands behind it is on that of the generator.
    const http2 = await startAnswering(CORES.load);
    const http1 = await startNginx();
    after(http1.stop);
    pin(CORES.load, http1.processes[0].pid);
    const proxies = await startProxies(http1.url, http2, after);

    const seconds = quick ? 1 : 3;
    const requests = quick ? 20_000 : 200_000;
    const lasting = ["-d", `${seconds}s`];
    const calls = ["-H", "content-type: application/grpc", "-H", "te: trailers", "-d", message];
    const users = CLIENTS.connections * CLIENTS.streams;
    const callers = (number, channels) =>
      byLbbench(grpc, "-c", number, "--channels", channels, "--proto", PROTO, "--call", METHOD, ...lasting);
    const comparisons = {
      http2: {
        wire: () => byLbbench(`${url}/small`, "--http2", "--streams", CLIENTS.streams, "-c", users, ...lasting),
        h2load: () => byH2load(`${url}/small`, requests),
      },
      grpc: {
        grpc: () => callers(CALLERS.callers, CALLERS.connections),
        ghz: () => byGhz(url, CALLERS, requests / 4),
      },
      one: {
        grpc: () => callers(1, 1),
        ghz: () => byGhz(url, { callers: 1, connections: 1 }, requests / 20),
      },
      toHttp1: {
        ours: () => through(proxies.toHttp1.ours, "/small", requests / 2),
        nginx: () => through(proxies.toHttp1.nginx, "/small", requests / 2),
      },
      toHttp2: {
        ours: () => through(proxies.toHttp2.ours, `/${METHOD}`, requests / 2, calls),
        nginx: () => through(proxies.toHttp2.nginx, `/${METHOD}`, requests / 2, calls),
      },
    };
    // A proxy in Node makes half of its rate in its first seconds.
    for (const name of ["toHttp1", "toHttp2"]) for (const warm of Object.values(comparisons[name])) await warm();
    return (index) => {
      const works = Object.entries(comparisons).map(([name, each]) => [
        name,
        () => quietly(name, () => inTurn(index, each)),
      ]);
      return inTurn(index, Object.fromEntries(works));
    };
  },
  rows: [
    {
      title: "requests/s over h2c, 10 connections x 10 streams: `wire` / h2load",
      atLeast: 0.5,
      value: ({ http2 }) => http2?.wire.rate / http2?.h2load.rate,
      parts: ["http2"],
    },
    {
      title: "processor time a request, the same: `wire` / h2load",
      atMost: 2,
      value: ({ http2 }) => http2?.wire.cpuUs / http2?.h2load.cpuUs,
      parts: ["http2"],
    },
    {
      title: "unary calls/s, 50 callers over 4 connections: `grpc` / ghz",
      atLeast: 0.8,
      value: ({ grpc }) => grpc?.grpc.rate / grpc?.ghz.rate,
      parts: ["grpc"],
    },
    {
      title: "processor time a call, the same: `grpc` / ghz",
      atMost: 1,
      value: ({ grpc }) => grpc?.grpc.cpuUs / grpc?.ghz.cpuUs,
      parts: ["grpc"],
    },
    {
      title: "p50 of calls, one caller: `grpc` / ghz",
      atMost: 1.3,
      value: ({ one }) => one?.grpc.p50 / one?.ghz.p50,
      parts: ["one"],
    },
    {
      title: "requests/s, h2c to HTTP/1.1: balancer / nginx `proxy_pass`",
      atLeast: 0.7,
      value: ({ toHttp1 }) => toHttp1?.ours.rate / toHttp1?.nginx.rate,
      parts: ["toHttp1"],
    },
    {
      title: "requests/s, h2c to h2c: balancer / nginx `grpc_pass`",
      atLeast: 0.8,
      value: ({ toHttp2 }) => toHttp2?.ours.rate / toHttp2?.nginx.rate,
      parts: ["toHttp2"],
    },
  ],
};
