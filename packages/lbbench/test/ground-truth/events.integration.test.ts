import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { createBalancer } from "@lbbench/proxy";
import { serve } from "@lbbench/test-support/servers.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { send } from "./measure.js";
import { WIRE } from "./subjects.js";

/** Events between which there is a pause, each in two pieces and behind a comment; as many as are read, or so many. */
async function startStreams({ pauseMs = 5, most = Infinity, status = 200 } = {}) {
  const counts = { streams: 0, events: 0, ended: 0 };
  const stream = (answer: ServerResponse): void => {
    counts.streams += 1;
    answer.writeHead(status, { "content-type": "text/event-stream" });
    let sent = 0;
    const timer = setInterval(() => {
      if (sent === most) return void answer.end();
      answer.write(`: ping\n\nid: ${sent}\nda`);
      answer.write("ta: now\n\n");
      sent += 1;
      counts.events += 1;
    }, pauseMs);
    answer.once("close", () => {
      clearInterval(timer);
      counts.ended += 1;
    });
  };
  const server = await serve(createServer((_, answer) => stream(answer)));
  return { ...server, counts };
}

/** A balancer in front of a server, until the test has finished. */
async function startBalancer(url: string): Promise<string> {
  const balancer = createBalancer({ backends: [{ url }] });
  onTestFinished(() => balancer.close({ graceMs: 0 }));
  const { port } = await balancer.listen({ port: 0 });
  return `http://127.0.0.1:${port}/`;
}

describe.each(["directly", "through the balancer"])("streams of events, %s", (how) => {
  const place = (url: string): Promise<string> | string => (how === "directly" ? url : startBalancer(url));

  it.each([1, 2])("end after so many, each of which is timed, by %i generators", async (generators) => {
    const { url, counts } = await startStreams();
    const level = { connections: 4, requests: 20 };
    const { measurement } = await send(WIRE, await place(url), level, { options: { events: 5 }, generators });
    expect(measurement.requests).toMatchObject({ sent: 20, ok: 20 });
    expect(measurement.events).toMatchObject({ count: 100, first: { p99: expect.any(Number) } });
    expect(counts.streams).toBe(20);
    expect(counts.events).toBeGreaterThanOrEqual(100);
    // Timers of the server are late, and never early by a millisecond.
    expect(measurement.events?.gap?.p50).toBeGreaterThan(3);
    expect(measurement.latency?.min).toBeGreaterThan(measurement.events?.first?.min ?? Infinity);
    expect(measurement.connections.established).toBe(20);
  });

  it("that the server ends before are ok, and stay on their connection", async () => {
    const { url, counts } = await startStreams({ most: 3 });
    const level = { connections: 2, requests: 10 };
    const { measurement } = await send(WIRE, await place(url), level, { options: { events: 5 } });
    expect(measurement.requests).toMatchObject({ sent: 10, ok: 10 });
    expect([measurement.events?.count, counts.events]).toEqual([30, 30]);
    expect(measurement.connections.established).toBe(2);
  });

  it("are open when a load is cut, with the events that have come, however much longer than the timeout they last", async () => {
    const { url, counts } = await startStreams({ pauseMs: 100 });
    const options = { options: { events: 1000 }, timeoutMs: 2000 };
    const { measurement } = await send(WIRE, await place(url), { connections: 3, durationMs: 5000 }, options);
    expect(measurement.requests).toMatchObject({ sent: 3, ok: 0, inFlight: 3 });
    const { count = 0 } = measurement.events ?? {};
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThanOrEqual(counts.events);
  });
});

it("a stream that falls silent for longer than the timeout has timed out, and one with another status has no part in it", async () => {
  const silent = createServer((_, answer) => answer.writeHead(200).write("data: a\n\n"));
  const { url } = await serve(silent);
  const level = { connections: 2, requests: 2 };
  const late = await send(WIRE, url, level, { options: { events: 2 }, timeoutMs: 2000 });
  expect(late.measurement).toMatchObject({ requests: { timedOut: 2 }, events: { count: 2 } });
  expect(late.measurement.events).not.toHaveProperty("gap");
  const refusing = await startStreams({ status: 503, most: 1 });
  const refused = await send(WIRE, refusing.url, level, { options: { events: 2 } });
  expect(refused.measurement.requests).toMatchObject({ non2xx: 2 });
  expect(refused.measurement).not.toHaveProperty("events");
  silent.closeAllConnections();
  await once(silent.close(), "close");
});
