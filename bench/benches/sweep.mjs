import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "lbbench/testing";
import { inTurn, LBBENCH, makeFolder, runNode, timeOf, timeSameWork } from "../rounds.mjs";

const LEVELS = [1, 50, 100, 250, 500, 1000];
const REQUESTS = 1000;

/** ab takes no URL without a path. */
async function runAb(origin) {
  const url = `${origin}/`;
  for (const level of LEVELS) await promisify(execFile)("ab", ["-q", "-c", String(level), "-n", String(REQUESTS), url]);
}

/** How much longer a sweep takes, report and pictures included, than the same six runs of ab. */
export const bench = {
  name: "sweep",
  needs: ["ab"],
  rounds: 5,
  async open() {
    const server = await startServer("single");
    const folder = await makeFolder();
    const runSweep = async () => {
      await runNode([LBBENCH, "sweep", server.url, "-c", LEVELS, "-n", REQUESTS, "-o", folder.path, "--force"]);
      // Without what draws, a report is quicker and has no pictures.
      await access(join(folder.path, "throughput.png"));
    };
    return {
      round: (index) =>
        inTurn(index, {
          workMs: timeSameWork,
          abMs: () => timeOf(() => runAb(server.url)),
          sweepMs: () => timeOf(runSweep),
        }),
      async close() {
        await folder.remove();
        await server.stop();
      },
    };
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
