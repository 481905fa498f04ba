import assert from "node:assert/strict";
import type { Engine } from "../../plugin.js";
import { expectTold, type EngineCheck } from "./engine-check.js";
import { answeredExactly, canSend, canSplit, speaksHttp, TIMED_MS } from "./what-it-can.js";

/** What comes of levels of connections. */
export function closedLoopChecks(engine: Engine): readonly EngineCheck[] {
  if (!engine.supports.loads.includes("connections")) return [];
  return [
    ...(canSend(engine, "requests") ? countedChecks(engine) : []),
    ...outcomeChecks(engine),
    ...(canSend(engine, "duration") ? [timedCheck] : []),
    ...(engine.supports.keepAliveOff ? [connectionForEach(engine)] : []),
  ];
}

function countedChecks(engine: Engine): readonly EngineCheck[] {
  const counted = (connections: number, requests: number, generators: number): Omit<EngineCheck, "name"> => ({
    level: { connections, requests },
    generators,
    check: ({ measurement }, server) => {
      const { opened } = measurement.connections;
      assert.equal(measurement.requests.sent, requests, "requests sent");
      assert.equal(measurement.requests.ok, requests, "requests answered");
      assert.equal(server.requests(), requests, "requests that the server counted");
      expectTold(measurement, opened, server.connections(), "connections that the server accepted");
      // Over gRPC, users may share connections.
      if (speaksHttp(engine)) expectTold(measurement, opened, connections, "connections opened");
    },
  });
  return [
    { name: "sends exactly the requests of one connection", ...counted(1, 50, 1) },
    ...(canSplit(engine)
      ? [{ name: "splits requests and connections without a rest", ...counted(7, 200, 3) }]
      : [{ name: "sends exactly the requests of several connections", ...counted(5, 200, 1) }]),
  ];
}

function outcomeChecks(engine: Engine): readonly EngineCheck[] {
  return [
    {
      name: "counts answers of an unexpected status",
      ...answeredExactly(engine, 4, 100, (number) => (number % 4 === 0 ? "error" : "ok")),
      check: ({ measurement: { requests, statusCodes, program } }, { statuses }) => {
        assert.equal(requests.ok, 75);
        assert.equal(requests.non2xx, 25);
        const isTold = program === undefined || Object.keys(statusCodes).length > 0;
        if (isTold) assert.deepEqual(statusCodes, { [statuses.ok]: 75, [statuses.error]: 25 });
      },
    },
    {
      name: "counts requests that end without an answer",
      ...answeredExactly(engine, 5, 100, (number) => (number % 10 === 0 ? "hang up" : "ok")),
      check: ({ measurement: { requests } }) => {
        assert.equal(requests.ok, 90);
        assert.equal((requests.dropped ?? 0) + (requests.resets ?? 0) + (requests.unclassified ?? 0), 10);
      },
    },
  ];
}

const timedCheck: EngineCheck = {
  name: "ends a timed run in time, and what is open then is in flight",
  level: { connections: 3, durationMs: TIMED_MS },
  answer: (number) => (number > 30 ? "nothing" : "ok"),
  check: ({ measurement }, server) => {
    const { requests, elapsedMs } = measurement;
    assert.equal(requests.ok, 30);
    expectTold(measurement, requests.inFlight, 3, "requests in flight");
    assert.equal(server.requests(), requests.sent + (requests.inFlight === undefined ? 3 : 0));
    assert.ok(elapsedMs >= TIMED_MS * 0.9, `it lasted ${elapsedMs} ms of ${TIMED_MS}`);
  },
};

function connectionForEach(engine: Engine): EngineCheck {
  return {
    name: "opens a connection for each request where connections are not to be kept",
    ...answeredExactly(engine, 4, 40),
    keepAlive: false,
    check: ({ measurement }, server) => {
      const { requests, connections } = measurement;
      assert.equal(requests.ok, 40);
      // A program may connect once more, to see whether anybody listens.
      assert.ok(server.connections() >= server.requests(), "requests shared a connection");
      expectTold(measurement, connections.established, server.requests(), "connections established");
      expectTold(measurement, connections.established, server.connections(), "connections that the server accepted");
    },
  };
}
