/** What commands of lbbench cost, beside others and beside work that is always the same. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { sweep as runSweep } from "lbbench";
import { startServer } from "lbbench/testing";
import { inTurn, LBBENCH, makeFolder, program, run, runNode, timeOf, timeSameWork } from "../rounds.mjs";

const LEVELS = [1, 50, 100, 250, 500, 1000];
const REQUESTS = 1000;

/** How much longer a sweep takes, report and pictures included, than the same six runs of ab. */
const sweep = {
  needs: ["ab"],
  rounds: 5,
  async open({ after }) {
    const { url, stop } = await startServer("single");
    after(stop);
    const folder = await makeFolder();
    const runAb = async () => {
      // ab takes no URL without a path.
      for (const level of LEVELS) await run("ab", "-q", "-c", level, "-n", REQUESTS, new URL("/", url));
    };
    const runLbbench = async () => {
      await runNode(LBBENCH, "sweep", url, "-c", LEVELS, "-n", REQUESTS, "-o", folder, "--force");
      // Without what draws, a report is quicker and has no pictures.
      await access(join(folder, "throughput.png"));
    };
    const works = { workMs: timeSameWork, abMs: () => timeOf(runAb), sweepMs: () => timeOf(runLbbench) };
    return (index) => inTurn(index, works);
  },
  rows: [
    {
      title: "what a sweep takes longer than its runs of `ab` / the same work",
      // 3 s on a machine that does the same work in 0.78 s.
      atMost: 3.85,
      value: ({ sweepMs, abMs, workMs }) => (sweepMs - abMs) / workMs,
    },
  ],
};

/** What many short steps cost beside their load: their share of starting targets, warming up, watching, judging, keeping the result. */
const steps = {
  rounds: 1,
  async open({ quick }) {
    const connections = Array.from({ length: quick ? 20 : 200 }, (_, index) => index + 1);
    return async () => {
      const startMs = performance.now();
      const { result } = await runSweep({ targets: ["single"], connections, requests: 200, trials: 5 });
      const wholeMs = performance.now() - startMs;
      const loads = result.steps.map(({ measurement }) => measurement?.elapsedMs ?? Number.NaN);
      return { overheadMs: (wholeMs - loads.reduce((sum, ms) => sum + ms, 0)) / loads.length };
    };
  },
  rows: [
    {
      title: "a step of 1,000 steps of 200 requests, beside its load",
      unit: "ms",
      atMost: 150,
      value: ({ overheadMs }) => overheadMs,
    },
  ],
};

/** Levels of a small and of a large result, each with 25 steps. */
const SIZES = { small: 10, large: 40 };

/** How long rendering takes: all formats, pictures included, in a process of its own as a user meets it; and how that grows with the steps. */
const report = {
  rounds: 5,
  async open() {
    const timesOf = async (...levels) => JSON.parse(await runNode(program("render.mjs"), ...levels));
    return async (index) => {
      const sizes = Object.entries(index % 2 === 0 ? SIZES : { large: SIZES.large, small: SIZES.small });
      return inTurn(index, {
        workMs: timeSameWork,
        renderMs: async () => (await timesOf(20))[0],
        growth: async () => {
          // The first report has to load what draws.
          const [, ...times] = await timesOf(SIZES.small, ...sizes.map(([, levels]) => levels));
          return Object.fromEntries(sizes.map(([size], at) => [size, times[at]]));
        },
      });
    };
  },
  rows: [
    {
      title: "rendering 5 targets x 20 levels x 5 trials in all formats / the same work",
      // 3 s on a machine that does the same work in 0.78 s.
      atMost: 3.85,
      value: ({ renderMs, workMs }) => renderMs / workMs,
    },
    {
      title: "rendering, time per step: 1,000 steps / 250 steps",
      // 1 would be linear, 4 quadratic.
      atMost: 1.5,
      value: ({ growth: { large, small } }) => large / SIZES.large / (small / SIZES.small),
    },
  ],
};

const TOLD = ["--help", "--version", "sweep --help"];

/** How long a command takes that only tells something, beside Node that does nothing. */
const start = {
  rounds: 20,
  async open() {
    const works = { node: () => timeOf(() => runNode("-e", "0")) };
    for (const words of TOLD) works[words] = () => timeOf(() => runNode(LBBENCH, ...words.split(" ")));
    await inTurn(0, works);
    return (index) => inTurn(index, works);
  },
  rows: TOLD.map((words) => ({
    title: `time of \`lbbench ${words}\` / of \`node -e 0\``,
    atMost: 2,
    value: (times) => times[words] / times.node,
  })),
};

export const commandBenches = { sweep, steps, report, start };
