import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.js";
import type { Engine, LoadProgress } from "../../plugin.js";
import { followDescendants, runningOf } from "../processes.js";
import { LONG_MS, runCheck } from "./engine-check.js";
import { canSend, TIMED_MS, twoFor, twoWhereItCan } from "./what-it-can.js";

const QUICK_MS = 5000;

/** What becomes of its processes, what it tells while it sends, and how it ends early. */
export function lifeCases(engine: Engine): readonly ContractCase[] {
  const progress = { name: "tells its progress, and never less than before", run: () => expectProgress(engine) };
  return [
    { name: "tells its processes before the first request leaves", run: () => expectStartIsTold(engine) },
    ...(canSend(engine, "duration") ? [progress] : []),
    { name: "ends at once when it is aborted, and keeps what it has counted", run: () => expectAbort(engine) },
    { name: "leaves no process when its children are closed", run: () => expectNoProcessLeft(engine) },
  ];
}

async function expectStartIsTold(engine: Engine): Promise<void> {
  const told: { readonly requests: number; readonly processes: number }[] = [];
  await runCheck(engine, {
    name: "start",
    level: twoFor(engine, { requests: 20 }),
    generators: twoWhereItCan(engine),
    context: (server) => ({
      onStart: (processes) => void told.push({ requests: server.requests(), processes: processes.length }),
    }),
    check: ({ generators }) => {
      assert.deepEqual(told, [{ requests: 0, processes: generators.length }]);
    },
  });
}

async function expectProgress(engine: Engine): Promise<void> {
  const told: LoadProgress[] = [];
  await runCheck(engine, {
    name: "progress",
    level: twoFor(engine, { durationMs: TIMED_MS }),
    context: () => ({ onProgress: (progress) => void told.push(progress) }),
    check: ({ measurement: { requests, timeline } }) => {
      assert.ok(told.length > 0, `no progress was told in ${TIMED_MS} ms`);
      assert.ok(
        told.every(
          ({ sent, done }, index) => sent >= (told[index - 1]?.sent ?? 0) && done >= (told[index - 1]?.done ?? 0),
        ),
        `progress went back: ${JSON.stringify(told)}`,
      );
      assert.ok(
        told.every(({ sent, done, failed = 0 }) => sent <= requests.sent && done <= sent && failed <= done),
        "more than there was",
      );
      for (const { latest } of told) {
        if (latest !== undefined) assert.deepEqual(latest, timeline[latest.second], "a second is not as it was told");
      }
    },
  });
}

async function expectAbort(engine: Engine): Promise<void> {
  const controller = new AbortController();
  let abortedMs = Number.NaN;
  await runCheck(engine, {
    name: "abort",
    level: twoFor(engine, canSend(engine, "duration") ? { durationMs: LONG_MS } : { requests: 1000 }),
    answer: (number) => {
      // Then there are two that are open.
      if (number === 42) {
        abortedMs = performance.now();
        controller.abort();
      }
      return number > 40 ? "nothing" : "ok";
    },
    context: () => ({ signal: controller.signal }),
    check: ({ measurement: { requests } }) => {
      const lastedMs = performance.now() - abortedMs;
      assert.ok(lastedMs < QUICK_MS, `it took ${lastedMs} ms to end after the abort`);
      assert.equal(requests.ok, 40);
    },
  });
}

async function expectNoProcessLeft(engine: Engine): Promise<void> {
  const descendants = await followDescendants();
  let pids: readonly number[] = [];
  await runCheck(engine, {
    name: "processes",
    level: twoFor(engine, { requests: 10 }),
    generators: twoWhereItCan(engine),
    context: () => ({
      onStart: async (processes) => {
        pids = processes.map(({ pid }) => pid);
        await descendants.look();
      },
    }),
    check: () => {},
  });
  assert.deepEqual(runningOf([...pids, ...descendants.seen()]), [], "processes that are left");
}
