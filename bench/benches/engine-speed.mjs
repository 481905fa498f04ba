/** What engines make of one core, beside other load generators on the same: nginx with one worker answers from another core. */
import { createRequire } from "node:module";
import { readProcStat } from "../../packages/lbbench/dist/system/proc.js";
import { inTurn, pin, runOn, runWrk, startNginx, sweepOn } from "../rounds.mjs";

const ENGINE = "wire";
const AUTOCANNON = createRequire(import.meta.url).resolve("autocannon");
const CORES = { server: "0", load: "1" };

const FEW = 50;
const MANY = 1000;
/** Per second, of the open loop. */
const RATE = 20_000;
/** Of a run with a connection for each: many more than a machine has ports would wait for them. */
const REQUESTS = 20_000;

/** A run of wrk, with the processor time that it took for each request, in us. */
async function byWrk(url, connections, seconds) {
  const before = reapedMs();
  const { rate, requests, failed } = await runWrk(CORES.load, url, `-c${connections}`, `-d${seconds}s`);
  expectNone(failed, "wrk");
  return { rate, cpuUs: ((reapedMs() - before) / requests) * 1000 };
}

/** Processor time of all programs that this process has run to their end. */
const reapedMs = () => readProcStat(process.pid).reapedCpuMs;

async function byAutocannon(url, connections, seconds, warmup) {
  const load = ["-c", connections, "-d", seconds, "-W", "[", "-c", connections, "-d", warmup, "]"];
  const stdout = await runOn(CORES.load, process.execPath, AUTOCANNON, ...load, "--json", "--no-progress", url);
  // The line before is that of the warm-up.
  const { "2xx": ok, non2xx, errors, duration } = JSON.parse(stdout.trim().split("\n").at(-1));
  expectNone(non2xx + errors, "autocannon");
  return { rate: Math.round(ok / duration) };
}

async function byAb(url, connections, requests) {
  const stdout = await runOn(CORES.load, "ab", "-q", "-c", connections, "-n", requests, url);
  const numberAfter = (title) => Number(new RegExp(`^${title}: +([\\d.]+)`, "m").exec(stdout)?.[1]);
  expectNone(numberAfter("Failed requests") + requests - numberAfter("Complete requests"), "ab");
  return { rate: Math.round(numberAfter("Requests per second")) };
}

/** A step of `lbbench sweep`: its rate, and the processor time of its generators for each request, in us. */
async function byLbbench(engine, url, ...flags) {
  const { measurement, usage } = await sweepOn(CORES.load, url, "--engine", engine, ...flags);
  const { requests, throughput, schedule } = measurement;
  expectNone(requests.sent - requests.ok - requests.inFlight, engine);
  const cpu = usage.generator.reduce((sum, generator) => sum + generator.cpu, 0);
  const lateness = schedule && { unsent: schedule.unsent, latenessMs: schedule.lateness.p99 };
  return { rate: Math.round(throughput), cpuUs: (cpu / throughput) * 1e6, ...lateness };
}

function expectNone(failed, generator) {
  if (failed !== 0) throw new Error(`expected no request to fail, but ${failed} of ${generator} did`);
}

/** What is measured one right after the other, by name of the comparison. */
function comparisons(url, seconds, warmup) {
  const warm = ["--warmup", `${warmup}s`];
  const lasting = ["-d", `${seconds}s`, ...warm];
  const closed = (engine, connections, generators = 1) =>
    byLbbench(engine, url, "-c", connections, "--generators", generators, ...lasting);
  return {
    few: {
      wire: () => closed(ENGINE, FEW),
      wrk: () => byWrk(url, FEW, seconds),
      bare: () => byAutocannon(url, FEW, seconds, warmup),
      autocannon: () => closed("autocannon", FEW),
      two: () => closed(ENGINE, 2 * FEW, 2),
    },
    many: { wire: () => closed(ENGINE, MANY), wrk: () => byWrk(url, MANY, seconds) },
    once: {
      wire: () => byLbbench(ENGINE, url, "--no-keepalive", "-c", FEW, "-n", REQUESTS, "--generators", 1, ...warm),
      ab: () => byAb(url, FEW, REQUESTS),
    },
    open: { wire: () => byLbbench(ENGINE, url, "-r", RATE, "--generators", 1, ...lasting) },
  };
}

export const engineBench = {
  needs: ["nginx", "wrk", "ab"],
  rounds: 5,
  inParts: true,
  async open({ quick, quietly, after }) {
    const server = await startNginx();
    after(server.stop);
    pin(CORES.server, server.processes[0].pid);
    const [seconds, warmup] = quick ? [1, 1] : [3, 2];
    const parts = Object.entries(comparisons(`${server.url}/small`, seconds, warmup));
    return (index) => {
      const works = parts.map(([name, each]) => [name, () => quietly(name, () => inTurn(index, each))]);
      return inTurn(index, Object.fromEntries(works));
    };
  },
  rows: [
    {
      title: `requests/s, ${FEW} connections: \`${ENGINE}\` / wrk`,
      atLeast: 0.6,
      value: ({ few }) => few?.wire.rate / few?.wrk.rate,
      parts: ["few"],
    },
    {
      title: `requests/s, 1,000 connections: \`${ENGINE}\` / wrk`,
      atLeast: 0.5,
      value: ({ many }) => many?.wire.rate / many?.wrk.rate,
      parts: ["many"],
    },
    {
      title: `processor time a request, ${FEW} connections: \`${ENGINE}\` / wrk`,
      atMost: 1.6,
      value: ({ few }) => few?.wire.cpuUs / few?.wrk.cpuUs,
      parts: ["few"],
    },
    {
      title: `requests/s, ${FEW} connections: \`${ENGINE}\` / bare autocannon`,
      atLeast: 1.6,
      value: ({ few }) => few?.wire.rate / few?.bare.rate,
      parts: ["few"],
    },
    {
      title: `requests/s, ${FEW} connections: engine \`autocannon\` / bare autocannon`,
      atLeast: 0.9,
      value: ({ few }) => few?.autocannon.rate / few?.bare.rate,
      parts: ["few"],
    },
    {
      title: `requests/s, a connection for each: \`${ENGINE}\` / ab`,
      atLeast: 0.7,
      value: ({ once }) => once?.wire.rate / once?.ab.rate,
      parts: ["once"],
    },
    {
      title: `what 2 generators do for 1, of \`${ENGINE}\`: 2 / (processor time a request of 2 / of 1)`,
      atLeast: 1.8,
      value: ({ few }) => (2 * few?.wire.cpuUs) / few?.two.cpuUs,
      parts: ["few"],
    },
    {
      title: `lateness of sends at 20,000 requests/s, p99, \`${ENGINE}\``,
      unit: "ms",
      atMost: 1,
      value: ({ open }) => open?.wire.latenessMs,
      parts: ["open"],
    },
  ],
};
