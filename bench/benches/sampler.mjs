import { program, startChild } from "../rounds.mjs";

const TREES = 2;
const PROCESSES = 10;
const WINDOW_MS = 5000;

/** What watching the processes of a target costs, which a sweep does while it measures. */
export const bench = {
  name: "sampler",
  rounds: 5,
  async open() {
    const trees = [];
    for (let tree = 0; tree < TREES; tree += 1) trees.push(await startChild(program("idle-tree.mjs"), [PROCESSES]));
    return {
      async round() {
        const child = await startChild(program("sample.mjs"));
        const { cpuMs, seen } = await child.ask({ roots: trees.map(({ ready }) => ready), windowMs: WINDOW_MS });
        await child.stop();
        if (seen.some((count) => count !== PROCESSES))
          throw new Error(`expected ${PROCESSES} in each tree, saw ${seen}`);
        return { cpuMs };
      },
      close: () => Promise.all(trees.map(({ stop }) => stop())),
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
