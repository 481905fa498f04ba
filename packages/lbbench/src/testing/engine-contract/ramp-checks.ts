import assert from "node:assert/strict";
import type { Engine } from "../../plugin.js";
import { RAMP_MS, type EngineCheck } from "./engine-check.js";
import { canSend, twoWhereItCan } from "./what-it-can.js";

/** What comes of levels that are users. */
export function rampChecks(engine: Engine): readonly EngineCheck[] {
  if (!engine.supports.loads.includes("users") || !canSend(engine, "duration")) return [];
  return [
    {
      name: "brings users when it is time for them, and tells of every second how many there were",
      level: { users: 5, durationMs: RAMP_MS + 690 },
      generators: twoWhereItCan(engine),
      // So that each of them has one request that is open, and sends no other.
      answer: (number) => (number > 20 ? "nothing" : "ok"),
      check: ({ measurement: { requests, timeline } }, server) => {
        assert.deepEqual(
          timeline.map(({ users }) => users),
          [2, 5],
          "users by the end of each second",
        );
        assert.deepEqual(
          timeline.map(({ sent }) => sent),
          [22, 3],
          "requests sent in each second",
        );
        assert.equal(requests.ok, 20);
        assert.equal(requests.inFlight, 5);
        assert.equal(server.requests(), 25, "requests that the server counted");
      },
    },
  ];
}
