import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { BIN } from "../../test/support/run-cli.js";

const PAIRS = 10;
const MOST_TIMES_NODE = 2;

describe("lbbench", () => {
  it.each([[["--help"]], [["--version"]], [["sweep", "--help"]]])(
    "answers %j in at most twice the time of node -e 0",
    (args) => {
      const node: number[] = [];
      const help: number[] = [];
      // In turns, so that whatever else the machine does falls on both alike. The first pair warms up.
      for (let pair = 0; pair <= PAIRS; pair++) {
        node.push(timeNode(["-e", "0"]));
        help.push(timeNode([BIN, ...args]));
      }
      // The fastest of each is what the work takes; the rest is disturbance.
      const ratio = Math.min(...help.slice(1)) / Math.min(...node.slice(1));
      expect(ratio).toBeLessThanOrEqual(MOST_TIMES_NODE);
    },
  );
});

/** Wall time of a process of Node, in ms. */
function timeNode(args: readonly string[]): number {
  const before = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const elapsedMs = performance.now() - before;
  expect(status, stderr).toBe(0);
  return elapsedMs;
}
