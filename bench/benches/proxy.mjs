/**
 * How fast the balancer is beside others over the same backend, each on one core with the generator and the backend on the other. No
 * connection is closed for its age or for the requests on it, by anyone.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startServer } from "lbbench/testing";
import { markdownTable } from "markdown-table";
import { processTree, readProcStat } from "../../packages/lbbench/dist/system/proc.js";
import { inTurn, LBBENCH, makeFolder, pin, runNode, runOn, runWrk, startChild, startNginx } from "../rounds.mjs";
import { summarize } from "../table.mjs";

const CONNECTIONS = 50;
/** How long a process is left alone before its memory is read. */
const SETTLE_MS = 1000;
const here = (path) => fileURLToPath(new URL(`../proxy/${path}`, import.meta.url));
const IDLE_CONNECTIONS = 10_000;
/** So many of them are opened at a time. */
const OPENED_AT_ONCE = 100;

/**
 * In the order of the table, those that are compared side by side. `node` names a program of `node.mjs`, `options` are those of our balancer;
 * `native` is a server of lbbench that starts an installed program. All are asked for `small`; `loads` are what else of `LOADS`.
 */
const CONTENDERS = [
  { name: "wire", label: "lbbench, `wire`", node: "lbbench", loads: ["browser", "large", "half"] },
  { name: "nginx", label: "nginx, 1 worker", native: "nginx", loads: ["browser", "large", "half"] },
  {
    name: "public",
    label: "lbbench, `wire` on public sockets",
    node: "lbbench",
    options: { sockets: "public" },
    loads: ["browser", "large", "half"],
  },
  { name: "wire-4", label: "lbbench, `wire`, 4 backends", node: "lbbench", backends: 4, loads: ["steady"] },
  { name: "nginx-4", label: "nginx, 1 worker, 4 backends", native: "nginx", backends: 4, loads: ["steady"] },
  { name: "tcp", label: "lbbench, mode `tcp`", node: "lbbench", options: { mode: "tcp" } },
  {
    name: "haproxy-tcp",
    label: "haproxy, 1 thread, tcp",
    native: "haproxy",
    template: here("haproxy-tcp.cfg.mustache"),
  },
  { name: "haproxy-http", label: "haproxy, 1 thread, http", native: "haproxy", loads: ["browser", "large", "half"] },
  { name: "transport", label: "lbbench, `http-proxy`", node: "lbbench", options: { transport: "http-proxy" } },
  ...[
    { name: "http-proxy", label: "http-proxy, keep-alive agent" },
    { name: "httpxy", label: "httpxy, keep-alive agent" },
    { name: "http-proxy-3", label: "http-proxy-3, keep-alive agent" },
    { name: "fast-proxy", label: "fast-proxy, undici" },
  ].map((each) => ({ ...each, node: each.name, loads: ["large"], isOther: true })),
];

/** What a browser sends with a request, beside `Host`. */
const BROWSER_HEADERS = [
  "Connection: keep-alive",
  'sec-ch-ua: "Chromium";v="130", "Google Chrome";v="130", "Not?A_Brand";v="99"',
  "sec-ch-ua-mobile: ?0",
  'sec-ch-ua-platform: "Linux"',
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Sec-Fetch-Site: same-origin",
  "Sec-Fetch-Mode: navigate",
  "Sec-Fetch-Dest: document",
  "Accept-Encoding: gzip, deflate, br, zstd",
  "Accept-Language: en-GB,en;q=0.9,de;q=0.8",
  "Cookie: session=5f2b8c0d9e7a4f6183b2; theme=dark",
];

/**
 * What a contender can be asked for; `half` is at half of nginx's saturating rate, `steady` has opened its connections in a load that is
 * not counted.
 */
const LOADS = {
  small: (contender, seconds) => saturate(contender, "small", seconds),
  steady: async (contender, seconds) => {
    await saturate(contender, "small", 1);
    return saturate(contender, "small", 2 * seconds);
  },
  browser: (contender, seconds) => saturate(contender, "small", seconds, BROWSER_HEADERS),
  large: (contender, seconds) => saturate(contender, "100k", seconds),
  half: (contender, seconds, rate) => pace(contender, rate, seconds),
};

/** The targets of the sweep. */
const SWEPT = ["balanced", "nginx", "haproxy"];

/** What is to be reached; `bestNode` stands for the proxy for Node, other than ours, that has the highest rate. */
const WANTED = [
  { load: "small", of: "wire", to: "nginx", atLeast: 0.8 },
  { load: "small", of: "wire-4", to: "nginx-4", atLeast: 0.8 },
  { load: "small", figure: "cpuUs", of: "wire", to: "nginx", atMost: 1.25 },
  { load: "browser", of: "wire", to: "nginx", atLeast: 0.7 },
  { load: "small", of: "wire", to: "http-proxy", atLeast: 4 },
  { load: "large", of: "wire", to: "bestNode", atLeast: 1.2 },
  { load: "half", figure: "p99", of: "wire", to: "nginx", atMost: 2 },
  { load: "small", of: "tcp", to: "haproxy-tcp", atLeast: 0.9 },
  { load: "small", of: "public", to: "nginx", atLeast: 0.55 },
  { load: "small", of: "transport", to: "http-proxy", atLeast: 0.95 },
];
const LOAD_TITLES = {
  small: "small GET",
  browser: "small GET with 12 headers",
  large: "GET of 100 KB",
  half: "half of nginx's saturating rate",
};
const FIGURE_TITLES = { rate: "requests/s", cpuUs: "processor time a request", p99: "p99" };

/** Core of the contender, and core of the generator and the backend; `undefined` where processes cannot be pinned. */
const CORES =
  cpus().length > 1 && spawnSync("taskset", ["-c", "1", "true"]).status === 0
    ? { contender: "0", generator: "1" }
    : undefined;

/** Processor time of a process and all that descend from it. */
const cpuSeconds = (root) => processTree(root).reduce((sum, pid) => sum + (readProcStat(pid)?.cpuMs ?? 0), 0) / 1000;

function pinAs(role, root) {
  if (CORES !== undefined) pin(CORES[role], root);
}

/** 100 KB that differ from place to place, so that no piece can be lost or swapped unseen. */
const HUNDRED_KILOBYTES = Buffer.from(Array.from({ length: 102_400 }, (_, index) => 32 + (((index * 7919) >> 3) % 95)));

/**
 * Starts nginx with `/small`, `/100k` and `/echo` on the core of the generator; resolves with its URLs, which are four backends to a
 * balancer. `/echo`, which Node answers, is asked only before the measurements.
 */
async function startBackends(after) {
  const root = await makeFolder();
  const path = (name) => join(root, name);
  const echo = await startServer("single", { handler: "echo" });
  after(echo.stop);
  await writeFile(path("100k"), HUNDRED_KILOBYTES);
  await writeFile(path("location.conf"), `location = /echo { proxy_pass ${new URL("/", echo.url)}; }\n`);
  const server = await startNginx({ "100k": path("100k"), "location.conf": path("location.conf") });
  after(server.stop);
  pinAs("generator", server.processes[0].pid);
  return [1, 2, 3, 4].map((last) => server.url.replace("127.0.0.1", `127.0.0.${last}`));
}

/** Starts a contender over its backends on its core; resolves with it, its URL and its process id when it listens. */
async function startContender(contender, allBackends, after) {
  const { node, native, options = {}, template } = contender;
  const backends = allBackends.slice(0, contender.backends ?? 1);
  const more = template === undefined ? {} : { template };
  const started = native
    ? await startServer(native, { backends, workers: 1, keepAlive: 128, ...more })
    : // A larger young generation for every proxy in Node: with the default, scavenges cost each of them some.
      await startChild(
        here("node.mjs"),
        [node, JSON.stringify(backends), JSON.stringify(options)],
        [`--max-semi-space-size=${contender.semiSpaceMb ?? 32}`],
      );
  after(started.stop);
  const pid = started.pid ?? started.processes.find(({ role }) => role === "balancer").pid;
  pinAs("contender", pid);
  return { ...contender, pid, url: started.url ?? `http://127.0.0.1:${started.ready}` };
}

/**
 * Asks the backend and every contender three times for each answer, and to echo 10 KB. Rejects with every difference in status, length or
 * bytes.
 */
async function checkSameBytes(backend, contenders) {
  const posted = randomBytes(10_240);
  const ask = async (url, path) => {
    const request = path === "/echo" ? { method: "POST", body: posted } : {};
    const response = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(5000) });
    const body = Buffer.from(await response.arrayBuffer());
    // The paced generator tells by the length where an answer ends.
    return `${response.status} ${response.headers.get("content-length")} ${body.toString("base64")}`;
  };
  const wrong = [];
  for (const path of ["/small", "/100k", "/echo"]) {
    const expected = await ask(backend, path);
    if (!expected.startsWith("200 ")) throw new Error(`The backend answers ${path} with ${expected.slice(0, 3)}.`);
    for (const { name, url } of [...contenders, ...contenders, ...contenders]) {
      const got = await ask(url, path).catch(({ message, cause }) => String(cause?.message ?? message));
      if (got !== expected) wrong.push(`${name} ${path}: ${got.slice(0, 60)} in place of ${expected.slice(0, 60)}`);
    }
  }
  if (wrong.length > 0) throw new Error(`Not the bytes of the backend:\n  ${wrong.join("\n  ")}`);
}

/** Asks for the path as fast as answers come; resolves with the rate, and the contender's processor time for a request in us. */
async function saturate({ url, pid }, path, seconds, headers = []) {
  const before = cpuSeconds(pid);
  const lines = headers.flatMap((header) => ["-H", header]);
  const flags = [`-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", ...lines];
  const { rate, requests, failed, p99 } = await runWrk(CORES?.generator, `${url}/${path}`, ...flags);
  return { rate, cpuUs: ((cpuSeconds(pid) - before) / requests) * 1e6, failed, p99 };
}

/** Asks at a fixed rate; latency is counted from when a request was due. A large young generation keeps collections out of the measurement. */
async function pace({ url, pid }, rate, seconds) {
  const before = cpuSeconds(pid);
  const flags = ["--max-semi-space-size=64", here("paced-generator.mjs")];
  const { sent, p50, p99, errors } = JSON.parse(
    await runOn(CORES?.generator, process.execPath, ...flags, `${url}/small`, rate, seconds, CONNECTIONS),
  );
  return { asked: rate, p50, p99, cpuUs: ((cpuSeconds(pid) - before) / sent) * 1e6, failed: errors };
}

/** Resident memory that a balancer which has done nothing else takes for each connection that had one answer and then waits, in KiB. */
async function measureIdle(backends) {
  const endings = [];
  // With Node's own young generation: a larger one is empty memory for the most part.
  const idle = { node: "lbbench", semiSpaceMb: 16 };
  const { url, pid } = await startContender(idle, backends, (end) => endings.push(end));
  const sockets = [];
  try {
    await sleep(SETTLE_MS);
    const before = readProcStat(pid).rssBytes;
    const cpuBefore = cpuSeconds(pid);
    while (sockets.length < IDLE_CONNECTIONS) {
      sockets.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => askAndKeep(url)))));
    }
    const cpuUs = ((cpuSeconds(pid) - cpuBefore) / IDLE_CONNECTIONS) * 1e6;
    await sleep(SETTLE_MS);
    const isOpen = sockets.every(({ destroyed }) => !destroyed);
    if (!isOpen) throw new Error("The balancer closed connections that were idle.");
    return { kibEach: (readProcStat(pid).rssBytes - before) / 1024 / IDLE_CONNECTIONS, cpuUs };
  } finally {
    // A reset leaves no port behind that waits.
    for (const socket of sockets) socket.resetAndDestroy();
    for (const end of endings) await end();
  }
}

/** Opens a connection and asks once; resolves with it when the answer begins. */
async function askAndKeep(url) {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET /small HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, "data");
  return socket.on("error", () => {}).resume();
}

/** What users see: a sweep of the balancers with its own servers and generator, of which nothing is pinned. */
async function measureSweep(seconds, folder) {
  const load = ["-c", CONNECTIONS, "-d", `${seconds}s`, "--warmup", `${2 * seconds}s`];
  const flags = [...load, "--json", "--quiet", "-f", "json", "-o", folder, "--force"];
  const text = await runNode(LBBENCH, "sweep", ...SWEPT.flatMap((target) => ["-t", target]), ...flags);
  const { steps } = JSON.parse(text);
  return Object.fromEntries(
    SWEPT.map((name) => {
      const { measurement, usage } = steps.find(({ target }) => target === name);
      const cpu = usage.balancer.reduce((sum, each) => sum + each.cpu, 0);
      const { sent, ok, inFlight } = measurement.requests;
      const rate = measurement.throughput;
      return [name, { rate, cpuUs: (cpu / rate) * 1e6, failed: sent - ok - inFlight }];
    }),
  );
}

/** Starts those that can be started: one that is not installed is left out. */
async function startContenders(backends, after, say) {
  const started = [];
  for (const contender of CONTENDERS) {
    await startContender(contender, backends, after).then(
      (one) => started.push(one),
      ({ message }) => say(`${contender.name} is left out: ${message}`),
    );
  }
  return started;
}

export const proxyBench = {
  needs: ["wrk", "nginx", "haproxy"],
  rounds: 5,
  inParts: true,
  async open({ quick, after, say, quietly }) {
    const seconds = quick ? 1 : 2;
    const folder = await makeFolder();
    const backends = await startBackends(after);
    const contenders = await startContenders(backends, after, say);
    await checkSameBytes(backends[0], contenders);
    // A proxy in Node makes half of its rate in its first seconds.
    let half = 0;
    for (const contender of contenders) {
      const { rate } = await LOADS.small(contender, quick ? 1 : contender.node ? 6 : 2);
      if (contender.name === "nginx") half = Math.round(rate / 2);
      for (const load of contender.loads ?? []) if (load !== "half") await LOADS[load](contender, 1);
    }
    const visit = async (contender) => {
      const figures = {};
      for (const load of ["small", ...(contender.loads ?? [])]) {
        figures[load] = await LOADS[load](contender, seconds, half);
      }
      return figures;
    };
    const works = {
      ...Object.fromEntries(contenders.map((contender) => [contender.name, () => visit(contender)])),
      idle: () => measureIdle(backends),
      sweep: () => measureSweep(seconds, folder),
    };
    const quiet = Object.entries(works).map(([name, work]) => [name, () => quietly(name, work)]);
    return (index) => inTurn(index, Object.fromEntries(quiet));
  },
  rows: (rounds) => [
    ...WANTED.map(({ load, figure = "rate", of, to, ...wanted }) => {
      const other = to === "bestNode" ? bestNode(rounds, load) : to;
      const labelOf = (name) => CONTENDERS.find((each) => each.name === name)?.label;
      const beside = `${labelOf(other) ?? "none"}${to === "bestNode" ? " (the best other Node proxy)" : ""}`;
      return {
        title: `${FIGURE_TITLES[figure]}, ${LOAD_TITLES[load]}: ${labelOf(of)} / ${beside}`,
        value: (round) => round[of]?.[load][figure] / round[other]?.[load][figure],
        parts: [of, other],
        ...wanted,
      };
    }),
    {
      title:
        "p99, small GET, steady: lbbench, `wire`, 4 backends / the larger of 2 ms and twice that of nginx, 4 backends",
      value: (round) => round["wire-4"]?.steady.p99 / Math.max(2, 2 * round["nginx-4"]?.steady.p99),
      parts: ["wire-4", "nginx-4"],
      atMost: 1,
    },
    {
      title: "memory (RSS) a connection, 10,000 idle clients: lbbench, `wire`",
      unit: "KiB",
      value: ({ idle }) => idle?.kibEach,
      parts: ["idle"],
      atMost: 12,
    },
    {
      title: "requests/s, in `lbbench sweep -t balanced -t nginx -t haproxy -c 50`: balanced / the better of the two",
      value: ({ sweep }) => sweep?.balanced.rate / Math.max(sweep?.nginx.rate, sweep?.haproxy.rate),
      parts: ["sweep"],
      atLeast: 0.75,
    },
  ],
  /** The medians of each contender, by column of the table. */
  keep: (rounds) => {
    const swept = SWEPT.map((target) => ({
      label: `\`${target}\` in the sweep`,
      loadsIn: ({ sweep }) => ({ small: sweep?.[target] }),
    }));
    const contenders = CONTENDERS.map(({ name, label }) => ({ label, loadsIn: (round) => round[name] ?? {} }));
    const medianOf = (loadsIn, read) => summarize(rounds.map((round) => read(loadsIn(round))))?.median;
    return {
      contenders: [...contenders, ...swept].map(({ label, loadsIn }) => ({
        contender: label,
        ...Object.fromEntries(COLUMNS.map(([title, read]) => [title, medianOf(loadsIn, read)])),
      })),
    };
  },
};

/** The other proxy in Node with the highest median rate; `undefined` without rounds. */
function bestNode(rounds, load) {
  return CONTENDERS.filter(({ isOther }) => isOther)
    .map(({ name }) => ({ name, figure: summarize(rounds.map((round) => round[name]?.[load].rate)) }))
    .filter(({ figure }) => figure !== undefined)
    .toSorted((a, b) => b.figure.median - a.figure.median)[0]?.name;
}

const COLUMNS = [
  ["small GET, requests/s", ({ small }) => small?.rate],
  ["small GET, us", ({ small }) => small?.cpuUs],
  ["small GET, steady, p99 in ms", ({ steady }) => steady?.p99],
  ["12 headers, requests/s", ({ browser }) => browser?.rate],
  ["12 headers, us", ({ browser }) => browser?.cpuUs],
  ["100 KB, requests/s", ({ large }) => large?.rate],
  ["100 KB, us", ({ large }) => large?.cpuUs],
  ["half of nginx's rate, p50 in ms", ({ half }) => half?.p50],
  ["half of nginx's rate, p99 in ms", ({ half }) => half?.p99],
  ["half of nginx's rate, us", ({ half }) => half?.cpuUs],
  ["requests that failed", (loads) => loads.small && Object.values(loads).reduce((sum, { failed }) => sum + failed, 0)],
];

/** The medians that `keep` returned as a table of Markdown. */
export function renderContenders(contenders) {
  const head = ["contender", ...COLUMNS.map(([title]) => title)];
  const cell = (value) => (value === undefined ? "" : String(Number(value.toPrecision(4))));
  const rows = contenders.map(({ contender, ...medians }) => [
    contender,
    ...head.slice(1).map((title) => cell(medians[title])),
  ]);
  const align = head.map((_, index) => (index === 0 ? "left" : "right"));
  return markdownTable([head, ...rows], { align });
}
