/** Where the noise of a comparison comes from: short windows of equal servers in turn, in several starts, pinned to cores or not. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { availableParallelism } from "node:os";
import { startServer } from "lbbench/testing";
import { renderNoise, takeNoiseApart } from "../noise-parts.mjs";
import { inTurn, LBBENCH, makeFolder, pin, program, runOn, startChild, toJson } from "../rounds.mjs";

const HANDLERS = ["hello", "cpu:1ms"];
const CONNECTIONS = [1, 20, 100];
const WINDOW = "250ms";
/** Before each window, so that its connections and its server are warm. */
const WARMUP = "100ms";
const WINDOWS = 16;
const STARTS = 6;
const CORES = { load: "0", servers: "1" };

/** Measures one start of both servers: a sweep of trials of one window, whose targets take turns. */
async function measureStart(handler, pinned, folder, quick) {
  const servers = { a: await startServer("single", { handler }), b: await startServer("single", { handler }) };
  try {
    const all = Object.values(servers);
    if (pinned) for (const { processes } of all) pin(CORES.servers, processes[0].pid);
    const targets = Object.entries(servers).map(([name, { url }]) => ({ name, server: "url", options: { url } }));
    const config = join(folder, "lbbench.config.json");
    const load = {
      connections: CONNECTIONS,
      duration: WINDOW,
      warmup: WARMUP,
      trials: quick ? 2 : WINDOWS,
      generators: 1,
    };
    await writeFile(config, toJson({ targets, ...load }));
    const flags = ["--json", "--quiet", "-f", "json", "-o", join(folder, "out"), "--force"];
    const text = await runOn(
      pinned ? CORES.load : undefined,
      process.execPath,
      LBBENCH,
      "sweep",
      "--config",
      config,
      ...flags,
    );
    return JSON.parse(text).steps.map(({ target, level: { connections }, trial, measurement }) => ({
      handler,
      connections,
      pinned,
      target,
      window: trial,
      throughput: measurement.throughput,
    }));
  } finally {
    for (const { stop } of Object.values(servers)) await stop();
  }
}

const noiseBench = (neighbour) => ({
  rounds: STARTS,
  async open({ quick, after }) {
    const folder = await makeFolder();
    if (neighbour) after((await startChild(program("neighbour.mjs"), [])).stop);
    // With one core there is none to pin to.
    const placings = availableParallelism() > 1 ? [false, true] : [false];
    const works = Object.fromEntries(
      placings.flatMap((pinned) =>
        HANDLERS.map((handler) => [`${handler} ${pinned}`, () => measureStart(handler, pinned, folder, quick)]),
      ),
    );
    return async (index) =>
      Object.values(await inTurn(index, works)).flatMap((windows) =>
        windows.map((window) => ({ start: index, ...window })),
      );
  },
  tell: (windows) => `${windows.length} windows`,
  rows: [],
  keep: (rounds) => ({ parts: rounds.length < 2 ? [] : takeNoiseApart(rounds.flat()) }),
  render: ({ parts }) => renderNoise(parts),
});

export const noiseBenches = { noise: noiseBench(false), "noise-neighbour": noiseBench(true) };
