import { createServer } from "node:http";
import { serve } from "@lbbench/test-support/servers.js";
import { describe, expect, it } from "vitest";
import { prepareClients } from "../../src/engines/clients.js";
import { createGenerator } from "../../src/engines/generator.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import { expectConservation } from "./expect-accounts.js";
import { aLoad, measure } from "./measure.js";
import { SUBJECTS, type Deed, type Subject } from "./subjects.js";

const USERS = 200;

/** Between 20 and 79 ms, so that not all users are answered at the same moment. */
const delayOf = (number: number): number => 20 + ((number * 37) % 60);
const slowly = (number: number): Deed => ({ what: "ok", delay: delayOf(number) });
const MEAN_MS = 49.5;

/** Where this machine pauses, requests are older at the start of the measurement than at its end, or the other way round. */
const edgeMs = ({ fill, requests }: CompleteMeasurement): number =>
  Math.max(fill?.carriedMs ?? 0, requests.inFlight * MEAN_MS);

describe.each(SUBJECTS)("a closed loop of $name that is at work", (subject) => {
  const level = { connections: USERS, durationMs: 1000 };

  it("is measured when every user has had an answer, and obeys N = X L", async () => {
    const server = await subject.start(slowly);
    let before = 0;
    const onStart = (): void => void (before = server.log.outcomes.ok);
    const { measurement, log } = await measure(subject, server, level, { atStart: "fill" }, { onStart });
    const { requests, latency, elapsedMs, fill } = measurement;
    expect(fill).toMatchObject({ users: USERS, answered: USERS });
    expectConservation(measurement);
    expect(requests.sent - requests.ok - requests.inFlight).toBe(0);
    // One answer and another of each came before.
    expect(before).toBeGreaterThanOrEqual(2 * USERS);
    expect(Math.abs(log.outcomes.ok - before - requests.ok)).toBeLessThanOrEqual(2 * USERS);
    const users = (requests.ok * (latency?.mean ?? 0)) / elapsedMs;
    expect(Math.abs(users - USERS)).toBeLessThan(0.05 * USERS + edgeMs(measurement) / elapsedMs);
    expect(latency?.min).toBeGreaterThanOrEqual(19);
    expect(elapsedMs).toBeGreaterThanOrEqual(990);
    expect(measurement.connections).toMatchObject({ opened: USERS, established: USERS });
    expect(measurement.bytes.received).toBeLessThan(log.writtenBytes);
  });

  // The pace of the round before foretells it. A machine that stops for a moment after that round takes little of answers that are so slow.
  it("lasts until each has had three answers, also where that is longer than was asked for", async () => {
    const server = subject.start((number) => ({ what: "ok", delay: 10 * delayOf(number) }));
    const { measurement } = await measure(subject, server, { ...level, durationMs: 20 }, { atStart: "fill" });
    expect(measurement.requests.ok).toBeGreaterThanOrEqual(2.5 * USERS);
    expect(measurement.elapsedMs).toBeGreaterThan(2.5 * 10 * MEAN_MS);
  });

  it("accounts for all of it where requests fail", async () => {
    const behave = (number: number): Deed => ({ ...slowly(number), what: number % 7 === 0 ? "drop" : "ok" });
    const { measurement } = await measure(subject, subject.start(behave), level, { atStart: "fill" });
    expect(measurement.requests.dropped + measurement.requests.resets).toBeGreaterThan(0);
    expectConservation(measurement);
  });

  it("counts nothing where it is aborted before", async () => {
    const abort = new AbortController();
    const behave = (number: number): Deed => {
      if (number === 10) abort.abort(new Error("enough"));
      return { what: number > 10 ? "hang" : "ok" };
    };
    const running = measure(subject, subject.start(behave), level, { atStart: "fill" }, { signal: abort.signal });
    await expect(running).rejects.toThrow("enough");
  });
});

it("is split over generators that begin to measure at one moment", async () => {
  const [, wire] = SUBJECTS as [Subject, Subject];
  const level = { connections: 60, durationMs: 1000 };
  const { measurement } = await measure(wire, wire.start(slowly), level, { atStart: "fill", generators: 2 });
  const { requests, latency, elapsedMs, fill } = measurement;
  expect(fill).toMatchObject({ users: 60, answered: 60, carried: expect.any(Number) });
  expectConservation(measurement);
  const users = (requests.ok * (latency?.mean ?? 0)) / elapsedMs;
  expect(Math.abs(users - 60)).toBeLessThan(0.05 * 60 + edgeMs(measurement) / elapsedMs);
});

it("a server that leaves most connections waiting is loaded by those that it serves, until the limit", async () => {
  const heard = new Set<object>();
  const deaf = createServer((request, response) => {
    if (heard.has(request.socket)) setTimeout(() => response.end("ok"), 5);
  });
  // It answers over ten connections at a time.
  deaf.on("connection", (socket) => {
    if (heard.size >= 10) return;
    heard.add(socket);
    socket.once("close", () => heard.delete(socket));
  });
  const { url } = await serve(deaf);
  const generator = createGenerator(prepareClients);
  const load = aLoad(url, { connections: 100, durationMs: 100 }, { atStart: "fill" });
  await generator.prepare({ ...load, engine: "autocannon", folder: ".", place: { index: 0, of: 1 } });
  expect(await generator.fill(1000)).toMatchObject({ users: 100, answered: 10 });
  expect(await generator.settle(1000)).toMatchObject({ users: 100, answered: 10 });
  const { record } = await generator.run(process.hrtime.bigint(), 100);
  expect(record.fill).toMatchObject({ users: 100, answered: 10, carried: 100 });
  expect(record.requests).toMatchObject({ inFlight: 100, timedOut: 0 });
});
