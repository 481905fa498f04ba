import { expect } from "vitest";
import type { BackendStats, BalancerOptions } from "../options/options.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startBefore } from "./servers.js";
import type { Transport } from "./transports.js";
import { get, plainAnswer, startWireBackend, wireClient } from "./wire.js";
import { valuesOf } from "@lbbench/test-support/wire-parse.js";

/** What a client and a backend say to each other through a balancer, and what each of them is to make of it. */
export interface Exchange {
  readonly options?: Partial<BalancerOptions>;
  /** What the client says; a GET that asks to close the connection by default. */
  readonly says?: string;
  /** What the backend answers; `ok` by default. */
  readonly answer?: string;
  /** What the backend does then. */
  readonly then?: "ends" | "resets";
  /**
   * All that the client is to receive, the answer `ok` by default; with `lasts` up to then, and the connection is then to
   * serve another request.
   */
  readonly gets?: RegExp;
  readonly lasts?: true;
  /** Whether the client's connection is to end with a reset. */
  readonly isReset?: true;
  /** What the backend is to receive: method, target, body, values of headers. */
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  readonly sent?: Readonly<Record<string, readonly string[]>>;
  /** What is counted of the backend; one request that was answered by default, none where it was refused. */
  readonly counts?: Partial<BackendStats>;
  /** The status by which the request was refused before a backend was asked. */
  readonly refused?: number;
  /** What is told of the request when it has ended. */
  readonly log?: object;
}

const ANSWERED = /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/;
const LAST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** Has the exchange take place, and expects what it says. */
export async function expectExchange(transport: Transport, exchange: Exchange): Promise<void> {
  const { options, says = get(), answer = plainAnswer("ok"), then, gets = ANSWERED, lasts, log, refused } = exchange;
  const backend = await startWireBackend(({ target }, socket) => {
    if (target === "/last") return plainAnswer("last");
    if (then === undefined) return answer;
    socket.write(answer, "latin1", () => (then === "ends" ? socket.end() : socket.resetAndDestroy()));
    return "";
  });
  const balancer = await startBefore(backend, { transport, ...options });
  const client = wireClient(balancer.port, says);
  if (lasts === true) {
    await client.until(gets);
    client.write(LAST);
    expect(await client.ended()).toMatch(/HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nlast$/);
  } else {
    expect(await client.ended()).toMatch(gets);
  }
  expect(client.broken()).toBe(exchange.isReset === true ? "ECONNRESET" : undefined);

  const requests = (refused === undefined ? 1 : 0) + (lasts === true ? 1 : 0);
  const counts = { requests, errors: 0, aborted: 0, inFlight: 0, ...exchange.counts };
  await expectSoon(() => balancer.stats()["one"]).toEqual(counts);
  expect(balancer.snapshot().refused).toEqual(refused === undefined ? {} : { [refused]: 1 });
  if (log !== undefined) await expectSoon(() => balancer.entries[0]).toMatchObject(log);

  const [first] = backend.requests();
  expect(first === undefined).toBe(counts.requests === 0);
  if (exchange.method !== undefined) expect(first?.method).toBe(exchange.method);
  if (exchange.target !== undefined) expect(first?.target).toBe(exchange.target);
  if (exchange.body !== undefined) expect(first?.body).toBe(exchange.body);
  for (const [name, values] of Object.entries(exchange.sent ?? {})) {
    expect({ name, values: valuesOf(first?.lines ?? [], name) }).toEqual({ name, values });
  }
}
