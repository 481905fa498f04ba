import { createServer, type Server } from "node:http";
import { serve } from "@lbbench/test-support/servers.js";
import { describe, expect, it } from "vitest";
import type { HeldConnections } from "../../src/model/measurement.js";
import type { Hold } from "../../src/plugin.js";
import { expectConservation } from "./expect-accounts.js";
import { send } from "./measure.js";
import { WIRE } from "./subjects.js";

const CONNECTIONS = 60;
const EVERY_MS = 200;
const LEVEL = { connections: CONNECTIONS, durationMs: 1000 };

/** What a server counted by itself. */
interface Counted {
  accepted: number;
  open: number;
  requests: number;
  readonly from: Map<string, number>;
  /** Requests of each connection. */
  readonly each: Map<object, number>;
}

/** Holds connections to a server of `node:http`, and tells what came of it by the account of both. */
async function hold(
  asked: Partial<Hold> = {},
  prepare: (server: Server) => void = () => {},
  options: { readonly generators?: number; readonly timeoutMs?: number } = {},
) {
  const counted: Counted = { accepted: 0, open: 0, requests: 0, from: new Map(), each: new Map() };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    counted.requests += 1;
    counted.each.set(request.socket, (counted.each.get(request.socket) ?? 0) + 1);
    response.end("ok");
  });
  server.on("connection", (socket) => {
    counted.accepted += 1;
    counted.open += 1;
    const from = socket.remoteAddress ?? "";
    counted.from.set(from, (counted.from.get(from) ?? 0) + 1);
    socket.once("close", () => (counted.open -= 1));
  });
  prepare(server);
  const { url, quiet } = await serve(server);
  const load = { atStart: "fill", hold: { everyMs: EVERY_MS, sources: [], ...asked }, ...options } as const;
  let before = 0;
  const onStart = (): void => void (before = counted.requests);
  const { measurement } = await send(WIRE, url, LEVEL, load, { onStart });
  await quiet();
  const { hold: held } = measurement;
  if (held === undefined) throw new Error("nothing was told of connections that were held");
  return { measurement, held, counted, before };
}

/** The server may have accepted one that was still being opened at the end. */
function expectAccepted({ accepted }: Counted, { established }: HeldConnections): void {
  expect(accepted).toBeGreaterThanOrEqual(established);
  expect(accepted).toBeLessThan(established + CONNECTIONS / 4);
}

const lostOf = ({ lost }: Awaited<ReturnType<typeof hold>>["held"]): number => lost.closed + lost.reset + lost.givenUp;

describe("connections that are held", () => {
  it("are as many as the server counts, live to the end, and each asks as often as was said", async () => {
    const { measurement, held, counted, before } = await hold();
    expectConservation(measurement);
    expect(held).toMatchObject({ atStart: CONNECTIONS, alive: CONNECTIONS, established: CONNECTIONS });
    expect(lostOf(held)).toBe(0);
    expect(measurement.connections).toMatchObject({
      asked: CONNECTIONS,
      opened: CONNECTIONS,
      established: CONNECTIONS,
    });
    expect(counted.accepted).toBe(CONNECTIONS);
    // What was asked and answered between the two is in neither.
    expect(measurement.requests.sent).toBeLessThanOrEqual(counted.requests - before);
    expect(measurement.requests.sent).toBeGreaterThan(counted.requests - before - CONNECTIONS);
    // Never twice in an interval, and in each interval once.
    const most = LEVEL.durationMs / EVERY_MS + 1;
    expect(measurement.requests.sent).toBeLessThanOrEqual(CONNECTIONS * most);
    expect(measurement.requests.sent).toBeGreaterThan(CONNECTIONS);
    expect([...counted.each.values()].every((requests) => requests >= 2)).toBe(true);
  });

  it("are lost in order where the server lets none idle for so long, and opened again", async () => {
    const { measurement, held, counted } = await hold({ everyMs: 600 }, (server) => {
      server.on("request", ({ socket }) => void setTimeout(() => socket.end(), 250));
    });
    expect(held.lost.givenUp).toBe(0);
    expect(held.lost.closed).toBeGreaterThanOrEqual(CONNECTIONS);
    expect(held.established).toBe(held.alive + lostOf(held));
    expectAccepted(counted, held);
    // A request may leave just as the server closes.
    expect(measurement.requests).toMatchObject({ connectErrors: 0, timedOut: 0, mismatched: 0 });
  });

  it("are lost by a reset where the server resets them while they idle", async () => {
    const { held, counted } = await hold({}, (server) => {
      server.on("connection", (socket) => void setTimeout(() => socket.resetAndDestroy(), 700));
    });
    expect(held.lost).toMatchObject({ closed: 0, givenUp: 0 });
    expect(held.lost.reset).toBeGreaterThan(0);
    expect(held.established).toBe(held.alive + held.lost.reset);
    expectAccepted(counted, held);
  });

  it("are given up where an answer does not come in time", async () => {
    const silent = (server: Server): void => {
      let count = 0;
      server.prependListener("request", (_request, response) => {
        count += 1;
        if (count > CONNECTIONS) response.end = () => response;
      });
    };
    const { measurement, held, counted } = await hold({}, silent, { timeoutMs: 300 });
    expect(measurement.requests.timedOut).toBeGreaterThan(0);
    expect(held.lost.givenUp).toBeGreaterThanOrEqual(measurement.requests.timedOut);
    expect(held.established).toBe(held.alive + lostOf(held));
    expectAccepted(counted, held);
  });

  it("come from several local addresses in turn, as the server sees them", async () => {
    const sources = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
    const { held, counted } = await hold({ sources });
    expect(held).toMatchObject({ alive: CONNECTIONS, sources });
    expect(Object.fromEntries(counted.from)).toEqual(Object.fromEntries(sources.map((one) => [one, CONNECTIONS / 3])));
  });

  it.each([1, 2])(
    "are told apart from a burst beside them, all of which the server has counted, by %i generators",
    async (generators) => {
      const { measurement, held, counted, before } = await hold({ burst: 11 }, undefined, { generators });
      expect(held).toMatchObject({ atStart: CONNECTIONS, alive: CONNECTIONS, established: CONNECTIONS });
      expectConservation(measurement);
      const { burst } = held;
      expect(burst).toMatchObject({ connections: { asked: 11, opened: 11 } });
      expect(counted.accepted).toBe(CONNECTIONS + 11);
      const sent = measurement.requests.sent + (burst?.requests.sent ?? NaN);
      // What was in flight when the burst was cut may not have come, and what came before measuring began was not sent in it.
      expect(sent - (counted.requests - before)).toBeLessThanOrEqual(burst?.requests.inFlight ?? NaN);
      expect(sent - (counted.requests - before)).toBeGreaterThan(-CONNECTIONS);
      expect(burst?.requests.sent).toBeGreaterThan(11);
      expect(burst?.latency?.p50).toBeGreaterThan(0);
      expect(measurement.requests.sent).toBeLessThanOrEqual(CONNECTIONS * (LEVEL.durationMs / EVERY_MS + 1));
    },
  );
});
