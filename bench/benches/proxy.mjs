/**
 * How fast the balancer is beside others over the same backend, each on one core with the generator and the backend on the other. No
 * connection is closed for its age or for the requests on it, by anyone.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "lbbench/testing";
import { markdownTable } from "markdown-table";
import { processTree, readProcStat } from "../../packages/lbbench/dist/system/proc.js";
import { makeFolder, run, startChild } from "../rounds.mjs";
import { summarize } from "../table.mjs";

const CONNECTIONS = 50;
const here = (path) => fileURLToPath(new URL(`../proxy/${path}`, import.meta.url));

/**
 * In the order of the tables. `node` names a program of `node.mjs`, `options` are those of our balancer; `native` is a server of lbbench
 * that starts an installed program.
 */
const CONTENDERS = [
  { name: "lbbench-wire", label: "lbbench, `wire`", node: "lbbench", options: { transport: "wire" } },
  { name: "lbbench-http-proxy", label: "lbbench, `http-proxy`", node: "lbbench", options: { transport: "http-proxy" } },
  { name: "lbbench-tcp", label: "lbbench, mode `tcp`", node: "lbbench", options: { mode: "tcp" } },
  { name: "http-proxy", label: "http-proxy, keep-alive agent", node: "http-proxy", isOther: true },
  { name: "httpxy", label: "httpxy, keep-alive agent", node: "httpxy", isOther: true },
  { name: "http-proxy-3", label: "http-proxy-3, keep-alive agent", node: "http-proxy-3", isOther: true },
  { name: "fast-proxy", label: "fast-proxy, undici", node: "fast-proxy", isOther: true },
  { name: "nginx", label: "nginx, 1 worker", native: "nginx" },
  { name: "haproxy-http", label: "haproxy, 1 thread, http", native: "haproxy" },
  {
    name: "haproxy-tcp",
    label: "haproxy, 1 thread, tcp",
    native: "haproxy",
    template: here("haproxy-tcp.cfg.mustache"),
  },
];

/** What each contender is asked in a round, and the figure of it that counts: a rate that is to be high, or ms that are to be few. */
const FIGURES = {
  small: { title: "requests/s, small GET", read: ({ small }) => small?.rate, isRate: true },
  large: { title: "requests/s, GET of 100 KB", read: ({ large }) => large?.rate, isRate: true },
  half: { title: "p99 at half of its own saturating rate", read: ({ half }) => half?.p99 },
  common: { title: "p99 at one rate for all Node proxies", read: ({ common }) => common?.p99 },
};

/** What is to be reached; `bestNode` stands for the proxy for Node, other than ours, that is best at that figure. */
const WANTED = [
  { figure: "small", of: "lbbench-wire", to: "http-proxy", atLeast: 1.8 },
  { figure: "small", of: "lbbench-wire", to: "nginx", atLeast: 0.55 },
  { figure: "small", of: "lbbench-wire", to: "bestNode", atLeast: 1 },
  { figure: "small", of: "lbbench-http-proxy", to: "http-proxy", atLeast: 0.95 },
  { figure: "small", of: "lbbench-tcp", to: "haproxy-tcp", atLeast: 0.8 },
  { figure: "large", of: "lbbench-wire", to: "bestNode", atLeast: 0.9 },
  { figure: "half", of: "lbbench-wire", to: "bestNode", atMost: 1 },
  { figure: "common", of: "lbbench-wire", to: "bestNode", atMost: 1 },
];

/** Core of the contender, and core of the generator and the backend; `undefined` where processes cannot be pinned. */
const CORES =
  cpus().length > 1 && spawnSync("taskset", ["-c", "1", "true"]).status === 0
    ? { contender: "0", generator: "1" }
    : undefined;

/** Processor time of a process and all that descend from it. */
const cpuSeconds = (root) => processTree(root).reduce((sum, pid) => sum + (readProcStat(pid)?.cpuMs ?? 0), 0) / 1000;

function pin(role, root) {
  if (CORES === undefined) return;
  for (const pid of processTree(root)) spawnSync("taskset", ["-a", "-c", "-p", CORES[role], String(pid)]);
}

/** Runs a program that generates load to its end; resolves with what it printed. */
function generate(program, ...args) {
  return CORES === undefined ? run(program, ...args) : run("taskset", "-c", CORES.generator, program, ...args);
}

/** 100 KB that differ from place to place, so that no piece can be lost or swapped unseen. */
const HUNDRED_KILOBYTES = Buffer.from(Array.from({ length: 102_400 }, (_, index) => 32 + (((index * 7919) >> 3) % 95)));

/**
 * Starts nginx with `/small`, `/100k` and `/echo` on the core of the generator; resolves with its URL. The last, which Node answers, is
 * asked only before the measurements.
 */
async function startBackend(after) {
  const root = await makeFolder();
  const echo = await startServer("single", { handler: "echo" });
  after(echo.stop);
  await writeFile(join(root, "100k"), HUNDRED_KILOBYTES);
  await writeFile(join(root, "echo.conf"), `location = /echo { proxy_pass ${new URL("/", echo.url)}; }\n`);
  const server = await startServer("nginx-static", { root, template: here("backend.conf.mustache") });
  after(server.stop);
  pin("generator", server.processes[0].pid);
  return server.url;
}

/** Starts a contender over the backend on its core; resolves with it, its URL and its process id when it listens. */
async function startContender(contender, backend, after) {
  const { node, native, options = {}, template } = contender;
  const more = template === undefined ? {} : { template };
  const started = native
    ? await startServer(native, { backends: [backend], workers: 1, keepAlive: 128, ...more })
    : // A larger young generation for every proxy in Node: with the default, scavenges cost each of them some.
      await startChild(here("node.mjs"), [node, backend, JSON.stringify(options)], ["--max-semi-space-size=32"]);
  after(started.stop);
  const pid = started.pid ?? started.processes.find(({ role }) => role === "balancer").pid;
  pin("contender", pid);
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
async function saturate({ url, pid }, path, seconds) {
  const before = cpuSeconds(pid);
  const text = await generate("wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, `${url}/${path}`);
  const rate = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(text)?.[1]);
  if (Number.isNaN(rate)) throw new Error(`wrk printed no rate:\n${text}`);
  const failed = [...text.matchAll(/^\s*(?:Socket errors|Non-2xx or 3xx responses):(.*)$/gm)]
    .flatMap(([, counts]) => counts.match(/\d+/g))
    .reduce((sum, count) => sum + Number(count), 0);
  return { rate: Math.round(rate), cpuUs: Math.round(((cpuSeconds(pid) - before) / (rate * seconds)) * 1e6), failed };
}

/** Asks at a fixed rate; latency is counted from when a request was due. A large young generation keeps collections out of the measurement. */
async function pace({ url }, rate, seconds) {
  const flags = ["--max-semi-space-size=64", here("paced-generator.mjs")];
  const { p50, p99, errors } = JSON.parse(
    await generate(process.execPath, ...flags, `${url}/small`, rate, seconds, CONNECTIONS),
  );
  return { asked: rate, p50, p99, failed: errors };
}

export const proxyBench = {
  needs: ["wrk", "nginx", "haproxy"],
  rounds: 5,
  async open({ quick, after }) {
    const seconds = quick ? 1 : 2;
    const backend = await startBackend(after);
    const contenders = [];
    for (const contender of CONTENDERS) contenders.push(await startContender(contender, backend, after));
    await checkSameBytes(backend, contenders);
    // A proxy in Node makes half of its rate in its first seconds.
    const halves = new Map();
    for (const contender of contenders) {
      const { rate } = await saturate(contender, "small", quick ? 1 : 8);
      halves.set(contender.name, Math.round(rate / 2));
    }
    const common = Math.min(...contenders.filter(({ node }) => node).map(({ name }) => halves.get(name)));
    return async (index) => {
      const from = index % contenders.length;
      const measured = {};
      for (const contender of [...contenders.slice(from), ...contenders.slice(0, from)]) {
        measured[contender.name] = {
          small: await saturate(contender, "small", seconds),
          large: await saturate(contender, "100k", seconds),
          half: await pace(contender, halves.get(contender.name), seconds),
          ...(contender.node ? { common: await pace(contender, common, seconds) } : {}),
        };
      }
      return measured;
    };
  },
  rows: (rounds) =>
    WANTED.map(({ figure, of, to, ...wanted }) => {
      const { title, read } = FIGURES[figure];
      const other = to === "bestNode" ? bestNode(rounds, FIGURES[figure]) : to;
      const labelOf = (name) => CONTENDERS.find((each) => each.name === name).label;
      const beside = other === undefined ? "the best other Node proxy" : labelOf(other);
      return {
        title: `${title}: ${labelOf(of)} / ${beside}${to === "bestNode" ? " (the best other Node proxy)" : ""}`,
        value: (round) => read(round[of]) / read(round[other]),
        ...wanted,
      };
    }),
};

/** The other proxy in Node with the best median: the highest rate, the lowest latency; `undefined` without rounds. */
function bestNode(rounds, { read, isRate = false }) {
  const sorted = CONTENDERS.filter(({ isOther }) => isOther)
    .map(({ name }) => ({ name, figure: summarize(rounds.map((round) => read(round[name]))) }))
    .filter(({ figure }) => figure !== undefined)
    .toSorted((a, b) => a.figure.median - b.figure.median);
  return sorted.at(isRate ? -1 : 0)?.name;
}

/** The medians of every contender as a table of Markdown. */
export function renderContenders(rounds) {
  const columns = [
    ["small GET, requests/s", FIGURES.small.read],
    ["processor time, us a request", ({ small }) => small?.cpuUs],
    ["100 KB, requests/s", FIGURES.large.read],
    ["at half its rate: p50, ms", ({ half }) => half?.p50],
    ["p99, ms", FIGURES.half.read],
    ["at one rate for all in Node: p99, ms", FIGURES.common.read],
    ["requests that failed", (all) => Object.values(all).reduce((sum, { failed }) => sum + failed, 0)],
  ];
  const medianOf = (name, read) => {
    const figure = summarize(rounds.map((round) => read(round[name] ?? {})));
    return figure === undefined ? "" : String(Number(figure.median.toPrecision(4)));
  };
  const head = ["contender", ...columns.map(([title]) => title)];
  const rows = CONTENDERS.map(({ name, label }) => [label, ...columns.map(([, read]) => medianOf(name, read))]);
  const align = head.map((_, index) => (index === 0 ? "left" : "right"));
  return markdownTable([head, ...rows], { align });
}
