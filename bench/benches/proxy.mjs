import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CONTENDERS, endAll, output, startBackend, startContender } from "../proxy/contenders.mjs";
import { summarize } from "../table.mjs";

const CONNECTIONS = 50;
const GENERATOR = fileURLToPath(new URL("../proxy/paced-generator.mjs", import.meta.url));

/** What each contender is asked in a round: figures of saturation, and latency in ms at a fixed rate. */
const FIGURES = new Map([
  ["small", "requests/s, small GET"],
  ["large", "requests/s, GET of 100 KB"],
  ["half", "p99 at half of its own saturating rate"],
  ["common", "p99 at one rate for all Node proxies"],
]);

/** What is to be reached; `bestNode` stands for the proxy for Node, other than ours, that is best at that figure. */
const WANTED = [
  { figure: "small", of: "lbbench-undici", to: "http-proxy", atLeast: 1.8 },
  { figure: "small", of: "lbbench-undici", to: "nginx", atLeast: 0.55 },
  { figure: "small", of: "lbbench-undici", to: "bestNode", atLeast: 1 },
  { figure: "small", of: "lbbench-http-proxy", to: "http-proxy", atLeast: 0.95 },
  { figure: "small", of: "lbbench-tcp", to: "haproxy-tcp", atLeast: 0.8 },
  { figure: "large", of: "lbbench-undici", to: "bestNode", atLeast: 0.9 },
  { figure: "half", of: "lbbench-undici", to: "bestNode", atMost: 1 },
  { figure: "common", of: "lbbench-undici", to: "bestNode", atMost: 1 },
];

const FIRST = /^Requests\/sec:\s+([\d.]+)/m;
const FAILED = [
  /^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/m,
  /^\s*Non-2xx or 3xx responses: (\d+)/m,
];

/** Asks for the path as fast as answers come; resolves with the rate, and the contender's processor time for a request in us. */
async function saturate({ url, pid }, path, seconds) {
  const before = cpuSeconds(pid);
  const text = await output("generator", "wrk", ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, `${url}/${path}`]);
  const [, rate] = FIRST.exec(text) ?? [];
  if (rate === undefined) throw new Error(`wrk printed no rate:\n${text}`);
  const failed = FAILED.flatMap((pattern) => (pattern.exec(text) ?? []).slice(1).map(Number));
  const requests = Number(rate) * seconds;
  return {
    rate: Math.round(Number(rate)),
    cpuUs: Math.round(((cpuSeconds(pid) - before) / requests) * 1e6),
    failed: failed.reduce((sum, count) => sum + count, 0),
  };
}

/** Asks at a fixed rate; latency is counted from when a request was due. A large young generation keeps collections out of the measurement. */
async function pace({ url }, rate, seconds) {
  const args = ["--max-semi-space-size=64", GENERATOR, `${url}/small`, rate, seconds, CONNECTIONS];
  const { p50, p99, errors } = JSON.parse(await output("generator", process.execPath, args));
  return { asked: rate, p50, p99, failed: errors };
}

/** Processor time of a process and all that descend from it, of ticks of 10 ms (proc(5): parent 4th, utime 14th, stime 15th). */
function cpuSeconds(root) {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, "latin1");
        const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
      } catch {
        return [];
      }
    });
  const tree = [root];
  for (const pid of tree) tree.push(...stats.filter(({ parent }) => parent === pid).map((stat) => stat.pid));
  return stats.filter(({ pid }) => tree.includes(pid)).reduce((sum, { ticks }) => sum + ticks, 0) / 100;
}

const POSTED = randomBytes(10_240);

/**
 * Asks the backend and every contender three times for a small answer, for 100 KB, and to echo 10 KB. Rejects with every difference in
 * status, length or bytes.
 */
async function checkSameBytes(backend, contenders) {
  const ask = async (url, path, request) => {
    const response = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(5000) });
    const body = Buffer.from(await response.arrayBuffer());
    // The paced generator tells by the length where an answer ends.
    return `${response.status} ${response.headers.get("content-length")} ${body.toString("base64")}`;
  };
  const wrong = [];
  const requests = [
    { path: "/small", request: {} },
    { path: "/100k", request: {} },
    { path: "/echo", request: { method: "POST", body: POSTED } },
  ];
  for (const { path, request } of requests) {
    const expected = await ask(backend, path, request);
    if (!expected.startsWith("200 ")) throw new Error(`The backend answers ${path} with ${expected.slice(0, 3)}.`);
    for (const { name, url } of contenders) {
      for (let time = 0; time < 3; time += 1) {
        const got = await ask(url, path, request).catch(({ message, cause }) => String(cause?.message ?? message));
        if (got !== expected) wrong.push(`${name} ${path}: ${got.slice(0, 60)} in place of ${expected.slice(0, 60)}`);
      }
    }
  }
  if (wrong.length > 0) throw new Error(`Not the bytes of the backend:\n  ${wrong.join("\n  ")}`);
}

const labelOf = (name) => CONTENDERS.find((each) => each.name === name).label;
const valueOf = (figure, measured) => measured?.[figure]?.[figure === "small" || figure === "large" ? "rate" : "p99"];

/** The other proxy in Node with the best median: the highest rate, the lowest latency. */
function bestNode(rounds, figure) {
  const others = CONTENDERS.filter(({ isOther }) => isOther).map(({ name }) => ({
    name,
    median: summarize(rounds.map((round) => valueOf(figure, round[name])).filter(Number.isFinite))?.median,
  }));
  const sorted = others.filter(({ median }) => median !== undefined).toSorted((a, b) => a.median - b.median);
  return (figure === "small" || figure === "large" ? sorted.at(-1) : sorted[0])?.name;
}

/** How fast the balancer is beside others, each on one core with the generator and the backend on the other. */
export const bench = {
  name: "proxy",
  needs: ["wrk", "nginx", "haproxy"],
  rounds: 5,
  async open({ quick }) {
    const seconds = quick ? 1 : 2;
    const [backend] = await startBackend(1);
    const contenders = [];
    for (const contender of CONTENDERS) contenders.push(await startContender(contender, [backend]));
    await checkSameBytes(backend, contenders);
    // A proxy in Node makes half of its rate in its first seconds.
    const halves = new Map();
    for (const contender of contenders) {
      const { rate } = await saturate(contender, "small", quick ? 1 : 8);
      halves.set(contender.name, Math.round(rate / 2));
    }
    const common = Math.min(...contenders.filter(({ node }) => node).map(({ name }) => halves.get(name)));
    return {
      async round(index) {
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
      },
      close: endAll,
    };
  },
  rows: (rounds) =>
    WANTED.map(({ figure, of, to, ...wanted }) => {
      const other = to === "bestNode" ? bestNode(rounds, figure) : to;
      const ratios = rounds.map((round) => valueOf(figure, round[of]) / valueOf(figure, round[other]));
      const beside = other === undefined ? "the best other Node proxy" : labelOf(other);
      return {
        title: `${FIGURES.get(figure)}: ${labelOf(of)} / ${beside}${to === "bestNode" ? " (the best other Node proxy)" : ""}`,
        figure: summarize(ratios.filter(Number.isFinite)),
        rounds: rounds.length,
        ...wanted,
      };
    }),
};

/** The medians of every contender as a table of Markdown. */
export function renderContenders(rounds) {
  const medianOf = (name, read) => {
    const found = summarize(rounds.map((round) => read(round[name] ?? {})).filter(Number.isFinite));
    return found === undefined ? "" : String(Number(found.median.toPrecision(4)));
  };
  const columns = [
    ["small GET, requests/s", ({ small }) => small?.rate],
    ["processor time, us a request", ({ small }) => small?.cpuUs],
    ["100 KB, requests/s", ({ large }) => large?.rate],
    ["at half its rate: p50, ms", ({ half }) => half?.p50],
    ["p99, ms", ({ half }) => half?.p99],
    ["at one rate for all in Node: p99, ms", ({ common }) => common?.p99],
    ["requests that failed", (all) => Object.values(all).reduce((sum, { failed }) => sum + failed, 0)],
  ];
  const head = ["contender", ...columns.map(([title]) => title)];
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  const rows = CONTENDERS.map(({ name, label }) => [label, ...columns.map(([, read]) => medianOf(name, read))]);
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
