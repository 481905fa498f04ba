import { Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { send } from "@lbbench/test-support/client.js";
import { asBackends, startBalancer, startNamed, startRawBackend } from "../test-support/servers.js";
import { optionsFor, WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { plainAnswer, wireClient } from "../test-support/wire.js";
import { startBalancerProcess } from "./test-support/processes.js";

/** Enough to load the balancer, whose modules Node opens all at once. */
const DESCRIPTORS = 192;
/** They leave room for a process of Node, and for a few connections to backends. */
const CLIENTS = DESCRIPTORS - 36;
/** Clients that find no room, until it is certain that some were taken and then had no backend. */
const TURNED_AWAY = 20;
const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** Backends that have asked and wait, until they are told to answer. */
async function startWaiting() {
  const answers: (() => void)[] = [];
  const start = (name: string) =>
    startRawBackend((socket) => {
      socket.on("end", () => socket.end()).on("error", () => undefined);
      socket.on("data", () => answers.push(() => socket.write(plainAnswer("ok"))));
    }).then(({ url }) => ({ url, name }));
  return { answers, backends: [await start("one"), await start("two")] };
}

const WELL = { condition: "up", errors: 0 };

it.each(WAYS_OF_SOCKETS)("a balancer by %s that has no descriptor left blames no backend", async (transport) => {
  const { answers, backends } = await startWaiting();
  const health = { passive: { failures: 1 } };
  const balancer = await startBalancerProcess({ ...optionsFor(transport), backends, health }, DESCRIPTORS);
  const clients = Array.from({ length: CLIENTS }, () => wireClient(balancer.port));
  await expect.poll(async () => (await balancer.snapshot()).connections).toBe(CLIENTS);
  for (const { write } of clients) write(GET);
  const refused = (): number => clients.filter(({ received }) => /^HTTP\/1\.1 503 [^]*\n$/.test(received())).length;
  await expect.poll(() => refused() + answers.length).toBe(CLIENTS);
  const { shortages, ...snapshot } = await balancer.snapshot();
  expect(refused()).toBeGreaterThan(0);
  expect(shortages).toEqual({ EMFILE: refused() });
  expect(snapshot).toMatchObject({ refused: { "503": refused() }, backends: [WELL, WELL] });
  expect(snapshot.backends.reduce((sum, { requests }) => sum + requests, 0)).toBe(answers.length);

  // A client that was refused may ask again on the connection that it has.
  const places = answers.length;
  for (const answer of answers) answer();
  await expect.poll(() => clients.filter(({ received }) => received().endsWith("ok")).length).toBe(places);
  const again = clients.find(({ received }) => received().startsWith("HTTP/1.1 503 "));
  again?.write(GET);
  await expect.poll(() => answers.length).toBe(places + 1);
});

it("a balancer in mode tcp that has no descriptor left blames no backend, whatever its checks find", async () => {
  let resets = 0;
  // A client takes two: with one more, or one less, it is the second that is missing.
  for (const descriptors of [DESCRIPTORS, DESCRIPTORS + 1]) {
    const { answers, backends } = await startWaiting();
    const health = { passive: { failures: 1 }, active: { intervalMs: 10, unhealthyAfter: 1 } };
    const balancer = await startBalancerProcess({ mode: "tcp", backends, health }, descriptors);
    // A check takes one for a moment: of many clients, some find the last one free.
    for (let turnedAway = 0; turnedAway < TURNED_AWAY;) {
      const before = answers.length;
      let hasEnded = false;
      const { ended } = wireClient(balancer.port, GET);
      void ended().then(() => (hasEnded = true));
      await expect.poll(() => hasEnded || answers.length > before, { interval: 5 }).toBe(true);
      if (answers.length === before) turnedAway += 1;
    }
    await expect.poll(async () => (await balancer.snapshot()).shortages["EMFILE"] ?? 0).toBeGreaterThan(2);
    const { refused, ...snapshot } = await balancer.snapshot();
    expect(snapshot).toMatchObject({ backends: [WELL, WELL] });
    resets += refused["reset"] ?? 0;
  }
  expect(resets).toBeGreaterThan(0);
});

/** Has every connection to a port fail with `EADDRNOTAVAIL`, until that is taken back. */
function failConnecting(port: number) {
  type Connect = (this: Socket, ...args: unknown[]) => Socket;
  const connect = Reflect.get(Socket.prototype, "connect") as Connect;
  const failing: Connect = function (...args) {
    const [place] = args.flat() as [{ readonly port?: number }];
    if (place.port !== port) return connect.apply(this, args);
    const error = Object.assign(new Error("connect EADDRNOTAVAIL"), { code: "EADDRNOTAVAIL", syscall: "connect" });
    process.nextTick(() => this.destroy(error));
    return this;
  };
  const spy = vi.spyOn(Socket.prototype, "connect").mockImplementation(failing as Socket["connect"]);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mockRestore();
}

it.each(WAYS_OF_SOCKETS)("a balancer by %s ejects a backend to whose address there is no way", async (transport) => {
  const named = await startNamed("without a way", "well");
  const [first] = named;
  const restore = failConnecting(first.port);
  const health = { passive: { ejectMs: 600_000 } };
  const { url, snapshot, ...balancer } = await startBalancer({ transport, backends: asBackends(named), health });
  for (let times = 0; times < 10; times++) expect((await send(url)).body).toBe("well");
  const ejected = { condition: "ejected", errors: 3 };
  expect(snapshot()).toMatchObject({ refused: {}, shortages: {}, backends: [ejected, WELL] });

  // Of one that was reached it says that there is no local port.
  restore();
  await balancer.drainBackend("without a way");
  balancer.restoreBackend("without a way");
  await expectSoon(async () => (await send(url)).body).toBe("without a way");
  await first.close();
  failConnecting(first.port);
  await expectSoon(async () => (await send(url)).status).toBe(503);
  const up = { condition: "up", errors: 3 };
  expect(snapshot()).toMatchObject({ shortages: { EADDRNOTAVAIL: 1 }, backends: [up, WELL] });
});
