import assert from "node:assert/strict";
import type { MixedRequest } from "../../model/scenario.js";
import type { Engine } from "../../plugin.js";
import { REQUEST, type EngineCheck } from "./engine-check.js";
import { answeredExactly, canSend, speaksHttp, twoWhereItCan } from "./what-it-can.js";

/** What comes of requests that are not the plain ones: other expectations, several at a time, HTTP/2. */
export function requestChecks(engine: Engine): readonly EngineCheck[] {
  const { supports } = engine;
  if (!speaksHttp(engine) || !supports.loads.includes("connections")) return [];
  return [
    ...((supports.expectations ?? true) ? expectationChecks(engine) : []),
    ...(supports.mixes === true && canSend(engine, "requests") ? [mixCheck(engine)] : []),
    ...(supports.httpVersions?.includes("2") === true ? [http2Check(engine)] : []),
  ];
}

function expectationChecks(engine: Engine): readonly EngineCheck[] {
  const everyFourth = answeredExactly(engine, 5, 100, (number) => (number % 4 === 0 ? "error" : "ok"));
  return [
    {
      name: "counts as ok the statuses that are expected, and no others",
      ...everyFourth,
      request: { expectStatus: "503" },
      check: ({ measurement: { requests, statusCodes } }) => {
        assert.equal(requests.ok, 25);
        assert.equal(requests.non2xx, 75);
        assert.deepEqual(statusCodes, { "200": 75, "503": 25 });
      },
    },
    {
      name: "counts as ok the body that is expected, and no other",
      ...everyFourth,
      request: { expectStatus: "200,503", expectBody: "hello" },
      check: ({ measurement: { requests, statusCodes } }) => {
        assert.equal(requests.ok, 75);
        assert.equal(requests.mismatched, 25);
        assert.deepEqual(statusCodes, { "200": 75, "503": 25 });
      },
    },
  ];
}

function mixCheck(engine: Engine): EngineCheck {
  return {
    name: "sends a mix in proportion to its weights, and tells what became of each request",
    level: { connections: 4, requests: 200 },
    generators: twoWhereItCan(engine),
    mix: [aMixed("good", 3), aMixed("bad", 1, "404")],
    check: ({ measurement: { requests, mix } }, server) => {
      assert.deepEqual(
        mix?.map(({ name, sent, ok, failed }) => ({ name, sent, ok, failed })),
        [
          { name: "good", sent: 150, ok: 150, failed: 0 },
          { name: "bad", sent: 50, ok: 0, failed: 50 },
        ],
        "requests by entry of the mix",
      );
      assert.equal(requests.non2xx, 50);
      assert.equal(server.requests(), 200, "requests that the server counted");
    },
  };
}

/** An entry whose requests are those of all others, but for what is expected of the answer. */
function aMixed(name: string, weight: number, expectStatus: string = REQUEST.expectStatus): MixedRequest {
  return { name, weight, request: { ...REQUEST, path: `/${name}`, expectStatus }, bodies: null };
}

function http2Check(engine: Engine): EngineCheck {
  return {
    name: "sends by HTTP/2 to a server that speaks nothing else",
    ...answeredExactly(engine, 4, 100, (number) => (number % 4 === 0 ? "error" : "ok")),
    httpVersion: "2",
    check: ({ measurement: { requests, statusCodes } }) => {
      assert.equal(requests.ok, 75);
      assert.equal(requests.non2xx, 25);
      assert.deepEqual(statusCodes, { "200": 75, "503": 25 });
    },
  };
}
