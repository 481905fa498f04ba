import assert from "node:assert/strict";
import type { Server } from "../plugin.js";
import type { ContractCase } from "./contract-case.js";
import { followDescendants, runningOf } from "./processes.js";
import { startServer } from "./started-server.js";

/** A start that has to fail. */
export interface FailingStart {
  /** Ends the sentence "rejects, with nothing left, when ...": `the program exits at once`. */
  readonly when: string;
  /** Options as a user writes them. */
  readonly options: () => unknown;
  /** What the message has to contain: the name of what failed, the last lines it printed. */
  readonly says: readonly (string | RegExp)[];
}

/** The case of a start that has to fail. */
export function failingStartCases(server: Server, { when, options, says }: FailingStart): readonly ContractCase[] {
  return [
    {
      name: `rejects, with nothing left, when ${when}`,
      run: async () => {
        const descendants = await followDescendants();
        const follow = setInterval(() => void descendants.look(), LOOK_INTERVAL_MS);
        let error: unknown;
        try {
          const running = await startServer(server, options());
          await running.stop();
        } catch (thrown) {
          error = thrown;
        } finally {
          clearInterval(follow);
        }
        assert.ok(error instanceof Error, "the start has to reject with an Error");
        for (const part of says) {
          const isSaid = typeof part === "string" ? error.message.includes(part) : part.test(error.message);
          assert.ok(isSaid, `the message has to contain ${part}, but is: ${error.message}`);
        }
        assert.deepEqual(runningOf(await descendants.look()), [], "processes that are left");
      },
    },
  ];
}

const LOOK_INTERVAL_MS = 10;
