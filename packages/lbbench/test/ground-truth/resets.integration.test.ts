import { describe, expect, it } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { Level } from "../../src/model/level.js";
import type { EngineSupport } from "../../src/plugin.js";
import { answer, breakOff, breakOffInHead, hangUp, type Action } from "../../src/testing/ground-truth/action.js";
import { CONTINUE } from "../../src/testing/ground-truth/cases.js";
import { expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { startTruthServer, type Behaviour } from "../../src/testing/ground-truth/truth-server.js";
import { measure, type LoadOptions } from "./measure.js";
import type { ServerLog } from "../../src/testing/ground-truth/server-log.js";
import { HTTP1_SUBJECTS } from "./subjects.js";

const HELLO = answer();
/** Answers, and then does something with the connection that the answer does not tell of. */
const answerAnd = (then: Action["then"]): Action => ({ ...HELLO, then });

/** How a connection comes to its end. */
const ENDS: readonly Action[] = (["rst", "fin"] as const).flatMap((how) => [
  hangUp(how),
  breakOffInHead(how),
  breakOff(how),
  answerAnd(how),
]);

/** Ends each connection in turn in one of these ways, on the first to the fourth of its requests. */
const endsEach: Behaviour = (_, _request, { connection, onConnection }) =>
  (onConnection === 1 + (connection % 4) ? ENDS[Math.floor(connection / 4) % ENDS.length] : undefined) ?? HELLO;

/**
 * Expects that client and server agree but for requests that left on a connection that had been closed: the server has not seen
 * them, and they have failed. Returns how many.
 */
function expectSameButUnseen(measurement: CompleteMeasurement, log: ServerLog): number {
  expectConservation(measurement);
  const { requests, statusCodes, connections } = measurement;
  const { sent, inFlight, resets, dropped, ...others } = requests;
  const { resets: reset, dropped: closed, ...known } = log.outcomes;
  expect(others).toEqual(known);
  expect(inFlight).toBe(0);
  expect(resets + dropped - reset - closed).toBe(sent - log.requests);
  expect(Math.min(resets - reset, dropped - closed)).toBeGreaterThanOrEqual(0);
  expect(statusCodes).toEqual(log.statusCodes);
  expect(connections.established).toBe(log.accepted);
  return sent - log.requests;
}

const openSockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

type Row = readonly [name: string, level: Level, load: LoadOptions, can: (supports: EngineSupport) => boolean];

const LOADS: readonly Row[] = [
  ["a closed loop", { connections: 1000, requests: 3000 }, {}, () => true],
  [
    "a connection for each request",
    { connections: 1000, requests: 2000 },
    { keepAlive: false },
    ({ keepAliveOff }) => keepAliveOff,
  ],
  ["an open loop", { rate: 2000, requests: 400 }, {}, ({ loads }) => loads.includes("rate")],
  [
    "a ramp",
    { users: 50, durationMs: 150 },
    { ramp: { from: 10, riseMs: 100, steps: null }, atEnd: "drain" },
    ({ loads }) => loads.includes("users"),
  ],
];

const BODY = "b".repeat(4_000_000);
const CLOSING = ["Connection: close", "Content-Length: 5"];

describe.each(HTTP1_SUBJECTS)("$name", (subject) => {
  const { supports } = subject.engine;

  it.each(LOADS.filter(([, , , can]) => can(supports)))(
    "gives every request one outcome where each connection is ended in turn, in %s",
    async (_, level, load) => {
      const users = level.connections ?? 0;
      // Those of other tests in this process.
      const openBefore = openSockets();
      let release = (): void => {};
      // All users have a connection at a time.
      const delay = new Promise<void>((resolve) => (release = resolve));
      const server = startTruthServer((number, request, place) => {
        if (number === users) release();
        const action = endsEach(number, request, place);
        return number <= users ? { ...action, delay } : action;
      });
      const { measurement, log } = await measure(subject, server, level, load);
      expect(log.mostOpen).toBeGreaterThanOrEqual(Math.max(1, users));
      expect(measurement.requests.sent).toBeGreaterThanOrEqual(level.requests ?? level.users ?? 1);
      expect(measurement.requests.sent).toBeLessThanOrEqual(level.requests ?? Infinity);
      const unseen = expectSameButUnseen(measurement, log);
      // Two of eight ways leave a connection that seems to be there, unless the request said that it is the last.
      expect(unseen).toBeLessThanOrEqual(load.keepAlive === false ? 0 : Math.ceil(log.accepted / 4));
      for (const count of Object.values(log.outcomes)) expect(count).toBeLessThan(log.requests);
      await expect.poll(openSockets).toBeLessThanOrEqual(openBefore);
    },
  );

  it.each<[string, Action]>([
    ["is answered", HELLO],
    ["is told to go on, and answered", { ...answer({ before: CONTINUE }), splitAt: CONTINUE.length }],
    ["is refused", answer({ status: 413, outcome: "non2xx", headers: CLOSING, close: true })],
    ["is reset", hangUp("rst")],
  ])("counts a request that %s before it is sent whole", async (_, action) => {
    const request = { method: "POST", body: BODY, headers: [["Expect", "100-continue"]] } as const;
    const server = startTruthServer(() => action, { atHead: true });
    const { measurement, log } = await measure(subject, server, { connections: 2, requests: 8 }, { request });
    expect(measurement.requests.sent).toBe(8);
    expectSameAccounts(measurement, log);
  });
});

const OPEN = HTTP1_SUBJECTS.filter(({ engine }) => engine.supports.loads.includes("rate"));

describe.each(OPEN)("$name in an open loop", (subject) => {
  /** Sends with a connection that is idle between requests; tells also how many requests came on one that was used before. */
  const sendSlowly = async (then: Action["then"]) => {
    let again = 0;
    const server = startTruthServer((_, _request, { onConnection }) => {
      if (onConnection > 1) again += 1;
      return answerAnd(then);
    });
    return { ...(await measure(subject, server, { rate: 200, requests: 60 })), again };
  };

  it.each(["fin", "rst"] as const)("loses no request, but on the way, where idle connections end: %s", async (then) => {
    const { measurement, log } = await sendSlowly(then);
    expect(log.accepted).toBe(log.requests);
    expect(expectSameButUnseen(measurement, log)).toBeLessThan(30);
  });

  it("gives a connection up on which an answer comes unasked, later than the one that was asked for", async () => {
    const { measurement, log, again } = await sendSlowly("more");
    const { ok, mismatched } = measurement.requests;
    expectConservation(measurement);
    expect(ok + mismatched).toBe(60);
    expect(log.accepted).toBe(log.requests - again);
    expect(measurement.connections.established).toBe(log.accepted);
    // Those that left while it was on its way.
    expect(Math.max(again, mismatched)).toBeLessThan(30);
  });
});
