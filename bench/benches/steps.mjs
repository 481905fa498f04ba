import { sweep } from "lbbench";

/** 1,000 steps of 200 requests: 200 levels in five trials. */
const REQUESTS = 200;
const TRIALS = 5;

/** What a step takes beside its load, in ms: starting its share of targets, warming up, watching, judging, keeping the result. */
async function overheadMs(levels) {
  const connections = Array.from({ length: levels }, (_, index) => index + 1);
  const startMs = performance.now();
  const { result } = await sweep({ targets: ["single"], connections, requests: REQUESTS, trials: TRIALS });
  const wholeMs = performance.now() - startMs;
  const loads = result.steps.map(({ measurement }) => measurement?.elapsedMs ?? Number.NaN);
  return (wholeMs - loads.reduce((sum, ms) => sum + ms, 0)) / loads.length;
}

/** What many short steps cost. */
export const bench = {
  name: "steps",
  rounds: 1,
  async open({ quick }) {
    return { round: async () => ({ overheadMs: await overheadMs(quick ? 20 : 200) }), close() {} };
  },
  rows: [
    {
      title: "a step of 1,000 steps of 200 requests, beside its load",
      unit: "ms",
      atMost: 150,
      value: (figures) => figures.overheadMs,
    },
  ],
};
