import assert from "node:assert/strict";
import type { Engine } from "../../plugin.js";
import { MAX_IN_FLIGHT, type EngineCheck } from "./engine-check.js";
import { canSend, TIMED_MS, twoWhereItCan } from "./what-it-can.js";

/** What comes of levels that are rates. */
export function openLoopChecks(engine: Engine): readonly EngineCheck[] {
  if (!engine.supports.loads.includes("rate")) return [];
  return [
    ...(canSend(engine, "requests") ? [onSchedule(engine)] : []),
    ...(canSend(engine, "duration") ? [beyondWhatMayBeInFlight] : []),
  ];
}

function onSchedule(engine: Engine): EngineCheck {
  return {
    name: "sends on a schedule, and says how it kept to it",
    level: { rate: 400, requests: 101 },
    generators: twoWhereItCan(engine),
    // However slow the machine is, none has to wait for another.
    maxInFlight: 202,
    check: ({ measurement: { requests, schedule, latency } }, server) => {
      assert.equal(schedule?.rate, 400);
      assert.equal(schedule.planned, 101, "requests planned");
      assert.equal(schedule.unsent, 0, "requests that could not leave");
      assert.equal(requests.sent, 101, "requests sent");
      assert.equal(requests.ok, 101, "requests answered");
      assert.equal(server.requests(), 101, "requests that the server counted");
      assert.ok((latency?.max ?? 0) >= schedule.lateness.mean, "latency does not count from when a request was due");
    },
  };
}

const beyondWhatMayBeInFlight: EngineCheck = {
  name: "counts what is due on a schedule and cannot leave, and leaves it out of what is sent",
  level: { rate: 400, durationMs: TIMED_MS },
  answer: (number) => (number > 20 ? "nothing" : "ok"),
  check: ({ measurement: { requests, schedule } }, server) => {
    assert.equal(requests.ok, 20);
    assert.equal(requests.inFlight, MAX_IN_FLIGHT);
    assert.equal(requests.sent, 20 + MAX_IN_FLIGHT);
    assert.equal(server.requests(), requests.sent, "requests that the server counted");
    const unsent = schedule?.unsent ?? 0;
    assert.equal(schedule?.planned, requests.sent + unsent, "requests planned");
    assert.ok(unsent > 0, "nothing could not leave");
  },
};
