import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { aLoad } from "../test-support/load.js";
import type { GeneratorLoad } from "./generator.js";
import { enterHeld } from "./held.js";
import { LoadRun } from "./load-run.js";
import { Recorder } from "./recorder.js";
import type { CreateRequester } from "./requester.js";

const CONNECTIONS = 100;
const EVERY_MS = 1000;
/** From one request to the next. */
const SLOT_MS = EVERY_MS / CONNECTIONS;

it("requests that waited while connections were opened are sent before anything is measured", async () => {
  const run = new LoadRun(new Recorder({ mergeable: false }));
  let sent = 0;
  const createRequester: CreateRequester = (onDone) => {
    let round = 0;
    const send = (): void => {
      sent += 1;
      // The last connection keeps this process busy for as long as 90 requests take to become due.
      for (const endMs = performance.now() + 90 * SLOT_MS; sent === CONNECTIONS && performance.now() < endMs;);
      setImmediate(() => {
        round = run.reach(round);
        onDone(true);
      });
    };
    return { send, cut: () => 0, close: async () => {} };
  };
  const hold = { everyMs: EVERY_MS, sources: [] };
  const load: GeneratorLoad = {
    ...aLoad({ connections: CONNECTIONS }),
    hold,
    engine: "wire",
    folder: ".",
    place: { index: 0, of: 1 },
  };
  const clients = await enterHeld(run, load, async () => createRequester);
  await run.fill(10_000);
  await clients.caughtUp?.();
  const [before, beganMs] = [sent, performance.now()];
  await sleep(20 * SLOT_MS);
  const due = (performance.now() - beganMs) / SLOT_MS;
  // A busy machine may hold up a few; else it would be all that had waited.
  expect(sent - before).toBeLessThanOrEqual(due + 20);
  run.cut();
  await clients.stop();
});
