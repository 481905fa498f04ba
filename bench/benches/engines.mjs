/** What engines keep of their requests, whether they tell the time, and what it costs to watch processes meanwhile. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { sweep } from "lbbench";
import { startFastServer } from "../rounds.mjs";

const MIX = [{ path: "/a" }, { path: "/b" }, { path: "/c", method: "POST", bodies: ["one", "two"] }];
const STREAMS = { wire: { streams: 10 } };

/**
 * What may be left of a request in its generator, in bytes: much less than the thousands that the request itself takes. It is not 0 because
 * the heap of a process that works longer is a little larger.
 */
const MEMORY_CASES = [
  { name: "autocannon", protocol: "http", few: 200_000, atMost: 25, input: {} },
  // From one million requests to five.
  { name: "wire", protocol: "http", few: 1_000_000, atMost: 5, input: { engine: "wire" } },
  { name: "wire, a mix", protocol: "http", few: 40_000, atMost: 140, input: { mix: MIX, engine: "wire" } },
  {
    name: "wire, HTTP/2",
    protocol: "http2",
    few: 40_000,
    atMost: 200,
    input: { httpVersion: "2", engines: STREAMS },
  },
  { name: "grpc", protocol: "grpc", few: 20_000, atMost: 500, input: {} },
];
const TIMES = 5;

/** Measures one step over a server of its own; resolves with what `read` makes of it. */
async function measureStep({ protocol, input }, load, delayed, read) {
  const server = await startFastServer(protocol, ...(delayed ? [load.requests] : []));
  try {
    const { result } = await sweep({ ...input, ...load, targets: [server.url], warmup: "0" });
    return await read(result.steps[0], server);
  } finally {
    await server.stop();
  }
}

/** Largest resident memory of a generator that did nothing before but send so many requests, in bytes. */
function residentBytes(one, requests) {
  return measureStep(one, { connections: 50, requests }, false, ({ measurement, usage }) => {
    if (measurement?.requests.ok === requests) return usage.generator[0].rssBytes;
    throw new Error(`expected ${requests} answers, got ${JSON.stringify(measurement?.requests)}`);
  });
}

/** Whether a generator needs memory for the requests it has sent: how much larger N more of them make it. */
const memory = {
  rounds: 3,
  open: async () => async () => {
    const figures = {};
    for (const one of MEMORY_CASES) {
      const grownBytes = (await residentBytes(one, one.few * TIMES)) - (await residentBytes(one, one.few));
      figures[one.name] = grownBytes / (one.few * (TIMES - 1));
    }
    return figures;
  },
  rows: MEMORY_CASES.map(({ name, atMost }) => ({
    title: `memory left of a request, ${name}`,
    unit: "bytes",
    atMost,
    value: (figures) => figures[name],
  })),
};

const REQUESTS = 1200;
const TIME_CASES = [
  { name: "autocannon", protocol: "http", input: {} },
  { name: "wire", protocol: "http", input: { engine: "wire" } },
  { name: "wire, HTTP/2", protocol: "http2", input: { httpVersion: "2" } },
  { name: "grpc", protocol: "grpc", input: {} },
];

/** By how much what an engine tells differs from what the server knows, in percent of that: the largest difference of all percentiles. */
function largestDeviation(one, generators) {
  const load = { connections: 60, requests: REQUESTS, generators };
  return measureStep(one, load, true, async ({ measurement: { latency } }, server) => {
    const truth = (await server.ask("times")).toSorted((a, b) => a - b);
    const deviations = [50, 90, 99].map((percentile) => {
      const expected = truth[Math.ceil((percentile / 100) * REQUESTS) - 1];
      return (Math.abs(latency[`p${percentile}`] - expected) / expected) * 100;
    });
    return Math.max(...deviations);
  });
}

/** Whether engines tell the time: percentiles of a server whose delays are known, by one generator and by three. */
const percentiles = {
  rounds: 3,
  open: async () => async () => {
    const figures = {};
    for (const one of TIME_CASES) {
      figures[one.name] = Math.max(await largestDeviation(one, 1), await largestDeviation(one, 3));
    }
    return figures;
  },
  rows: TIME_CASES.map(({ name }) => ({
    title: `largest deviation of p50, p90 and p99, ${name}`,
    unit: "%",
    atMost: 3,
    value: (figures) => figures[name],
  })),
};

const PROCESSES = 10;
const WINDOW_MS = 5000;

/** What watching the processes of a target costs, which a sweep does while it measures. */
const sampler = {
  rounds: 5,
  async open({ after }) {
    const { startUsageSampler } = await import("../../packages/lbbench/dist/system/usage.js");
    const watched = [1, 2].map((number) => {
      // Each idle process of a tree is Node, because what watches a process reads more of one with threads. It ends with this process.
      const idle = `"${process.execPath}" -e "process.stdin.resume()" <&3 & `;
      const stdio = ["ignore", "ignore", "ignore", "pipe"];
      const { pid = 0, stdio: pipes } = spawn("sh", ["-c", `${idle.repeat(PROCESSES)} wait`], { stdio });
      after(() => pipes[3].destroy());
      return { pid, role: "backend", name: `tree ${number}`, tree: true };
    });
    const beside = [{ pid: process.pid, role: "generator", name: "generator-1", tree: false }];
    return async () => {
      const before = process.cpuUsage();
      const { end } = await startUsageSampler(watched, { beside });
      await sleep(WINDOW_MS);
      const { processes } = await end();
      const { user, system } = process.cpuUsage(before);
      const seen = processes.map(({ descendants = [] }) => descendants.length);
      if (seen.some((count) => count !== PROCESSES))
        throw new Error(`expected ${PROCESSES} in each tree, saw ${seen.join(" and ")}`);
      return { cpuMs: (user + system) / 1000 };
    };
  },
  rows: [
    {
      title: "processor time of watching 2 trees of 10 processes / of one core",
      unit: "%",
      atMost: 1,
      value: ({ cpuMs }) => (cpuMs / WINDOW_MS) * 100,
    },
  ],
};

export const engineBenches = { memory, percentiles, sampler };
