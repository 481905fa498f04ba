import { describe, expect, it } from "vitest";
import type { Level } from "../../src/model/level.js";
import type { RequestSpec } from "../../src/model/scenario.js";
import { answer } from "../../src/testing/ground-truth/action.js";
import { ANSWERING, FAULTY, type Case } from "../../src/testing/ground-truth/cases.js";
import {
  expectAccountsWithinFlight,
  expectConservation,
  expectSameAccounts,
  expectSameBytes,
} from "./expect-accounts.js";
import { startTruthServer } from "../../src/testing/ground-truth/truth-server.js";
import { measure, type LoadOptions } from "./measure.js";
import { HTTP1_SUBJECTS } from "./subjects.js";

const REQUESTS = 100;
const COUNTED = { connections: 10, requests: REQUESTS };
const TIMED = { connections: 10, durationMs: 40 };

// What comes of a number of requests is in the contract of engines.
describe.concurrent.each(HTTP1_SUBJECTS)("$name agrees with the server", (subject) => {
  const closingEach = subject.engine.supports.keepAliveOff ? [...ANSWERING, ...FAULTY] : [];

  const measuring = (behaviour: Case[1], load: Case[2]) => (level: Level, options?: LoadOptions) => {
    const server = startTruthServer(typeof behaviour === "function" ? behaviour : () => behaviour);
    return measure(subject, server, level, { ...load, ...options });
  };

  it.each(ANSWERING)("on %s, and on every byte", async (_, behaviour, load) => {
    const on = measuring(behaviour, load);
    const { measurement, log } = await on({ connections: 1, requests: REQUESTS });
    expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
    expect(measurement.connections).toMatchObject({ asked: 1, opened: 1 });
    expectSameAccounts(measurement, log);
    expectSameBytes(measurement, log);
    const cut = await on(TIMED);
    expectAccountsWithinFlight(cut.measurement, cut.log);
    const drained = await on(TIMED, { atEnd: "drain" });
    expectSameAccounts(drained.measurement, drained.log);
    expectSameBytes(drained.measurement, drained.log);
  });

  it.each(FAULTY)("that %s", async (_, behaviour, load) => {
    const on = measuring(behaviour, load);
    const [cut, drained] = await Promise.all([on(TIMED), on(TIMED, { atEnd: "drain" })]);
    expectAccountsWithinFlight(cut.measurement, cut.log);
    expectSameAccounts(drained.measurement, drained.log);
  });

  it.each(closingEach)("with a connection for each request: %s", async (_, behaviour, load) => {
    const { measurement, log } = await measuring(behaviour, load)(COUNTED, { keepAlive: false });
    expect(measurement.requests.sent).toBe(REQUESTS);
    expect(measurement.connections).toEqual({ asked: 10, opened: 10, established: REQUESTS });
    expectSameAccounts(measurement, log);
    if (measurement.requests.ok === REQUESTS) expectSameBytes(measurement, log);
  });
});

const SECOND_ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain";

describe.each(HTTP1_SUBJECTS)("$name, answered more often than it asked,", (subject) => {
  it.each([
    ["another answer", SECOND_ANSWER],
    ["five further answers", SECOND_ANSWER.repeat(5)],
    ["the beginning of another answer", SECOND_ANSWER.slice(0, -20)],
    ["a line feed", "\n"],
    ["a byte", "x"],
  ])("takes %s in the packet for no part of the answer to the next request", async (_, after) => {
    const behaviour = () => answer({ after });
    const level = { connections: 1, requests: 21 };
    const { measurement, log } = await measure(subject, startTruthServer(behaviour), level);
    // Every other request leaves on a connection on which its answer, it seems, has been waiting.
    expect(measurement.requests).toMatchObject({ sent: 21, ok: 11, mismatched: 10 });
    expect(measurement.errorCodes).toEqual({ UNASKED_RESPONSE: 10 });
    expect(measurement.connections.established).toBe(11);
    expect(measurement.bytes.body).toBe(11 * "hello".length);
    expect(log).toMatchObject({ requests: 21, accepted: 11 });
    expectConservation(measurement);
  });

  it.each([SECOND_ANSWER.repeat(3), "\0\u0001 no HTTP\r\n"])(
    "ignores what follows the last answer: %j",
    async (after) => {
      const behaviour = () => answer({ headers: ["Connection: close", "Content-Length: 5"], after, close: true });
      const level = { connections: 4, requests: 21 };
      const { measurement, log } = await measure(subject, startTruthServer(behaviour), level);
      expect(measurement.bytes.body).toBe(log.bodyBytes);
      expect(measurement.connections.established).toBe(21);
      expectSameAccounts(measurement, log);
    },
  );
});

it.each(HTTP1_SUBJECTS)("$name starts its users once, however short the timeout is", async (subject) => {
  const server = startTruthServer(() => answer());
  const level = { connections: 400, requests: 2000 };
  const { measurement, log } = await measure(subject, server, level, { timeoutMs: 1 });
  expect(measurement.requests.sent).toBeGreaterThanOrEqual(400);
  expect(measurement.requests.sent).toBeLessThanOrEqual(2000);
  expect(measurement.connections.opened).toBeLessThanOrEqual(400);
  expect(log.requests).toBeLessThanOrEqual(measurement.requests.sent);
  expectConservation(measurement);
});

const bytes = Buffer.from([0, 200, 13, 10]).toString("base64");
const ordered = { "X-b": "2", "x-A": "1", HOST: "shop.test", "x-B": "3" };
const hopByHop = { Connection: "keep-alive, x-hop", "Keep-Alive": "timeout=1" };

it.each<[string, Partial<RequestSpec>]>([
  ["nothing out of the ordinary", {}],
  ["headers in their order and spelling", { method: "PURGE", headers: Object.entries({ ...ordered, ...hopByHop }) }],
  ["a body of bytes", { method: "PUT", body: bytes, bodyEncoding: "base64" }],
  ["a body with GET", { body: "why not" }],
  ["no body with POST", { method: "POST" }],
])("every engine sends the same bytes for a request with %s", async (_, request) => {
  const seen: string[] = [];
  for (const subject of HTTP1_SUBJECTS) {
    const server = await startTruthServer((_number, { head, body }) => {
      seen.push(`${head.replace(/127\.0\.0\.1:\d+/, "HOST")}|${body.toString("base64")}`);
      return answer();
    });
    const withPath = { ...server, url: `${server.url}some/path?with=query` };
    const { measurement } = await measure(subject, withPath, { connections: 1, requests: 2 }, { request });
    expect(measurement.requests.ok).toBe(2);
  }
  expect(seen).toHaveLength(2 * HTTP1_SUBJECTS.length);
  expect(new Set(seen).size).toBe(1);
  expect(seen[0]).toContain("/some/path?with=query HTTP/1.1");
});
