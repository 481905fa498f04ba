import { inTurn, program, runNode, timeSameWork } from "../rounds.mjs";

const LEVELS = 20;
/** Levels of a small and of a large result, each with 25 steps. */
const SIZES = { small: 10, large: 40 };

async function timeRendering(...levels) {
  return JSON.parse(await runNode([program("render.mjs"), ...levels]));
}

/** In one process, the first report apart, which has to load what draws. */
async function timeGrowth(index) {
  const { small, large } = SIZES;
  const [, ...times] = await timeRendering(small, ...(index % 2 === 0 ? [small, large] : [large, small]));
  return index % 2 === 0 ? times : times.toReversed();
}

/** How long rendering takes: all formats, pictures included, in a process of its own as a user meets it; and how that grows with the steps. */
export const bench = {
  name: "report",
  rounds: 5,
  async open() {
    return {
      async round(index) {
        const { workMs, renderMs, growth } = await inTurn(index, {
          workMs: timeSameWork,
          renderMs: async () => (await timeRendering(LEVELS))[0],
          growth: () => timeGrowth(index),
        });
        return { workMs, renderMs, smallMs: growth[0], largeMs: growth[1] };
      },
      close() {},
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
      value: ({ largeMs, smallMs }) => largeMs / SIZES.large / (smallMs / SIZES.small),
    },
  ],
};
