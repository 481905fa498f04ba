import { constants } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CART, INTERNAL, LOCALHOST, SHOP, SHOP_RSA } from "@lbbench/test-support/certificates.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { BalancerOptions, TlsOptions } from "../options/options.js";
import { countOutcomes, startLoad } from "../test-support/load.js";
import { countEach } from "../test-support/pick-many.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { askAgain, askOverTls, speaking, TLS_VERSIONS } from "../test-support/tls-client.js";
import { startWorkers } from "../test-support/workers-started.js";
import { changeTicketKeys } from "./client-tls.js";

const SEVERAL = { certificates: [LOCALHOST, SHOP, CART, SHOP_RSA] };
const TICKET_KEYS = Buffer.alloc(48, "keys");

const WAYS = ["one process", "two workers"] as const;

/** A balancer in front of one backend, which is in one process or in two. */
async function startTls(
  way: (typeof WAYS)[number],
  tls?: TlsOptions,
  others: Pick<BalancerOptions, "mode" | "timeouts"> = {},
) {
  const backend = await startBackend((_, response) => response.end("served"));
  const options = { ...others, backends: [{ url: backend.url }], ...(tls && { tls }) };
  const balancer =
    way === "one process" ? await startBalancer(options) : await startWorkers({ workers: 2, balancer: options });
  return { ...balancer, backend };
}

it("counts clients that do not say in time, or ever, for which name they ask", async () => {
  const { port, snapshot } = await startTls("one process", SEVERAL, { timeouts: { headMs: 50 } });
  const silent = connectTcp(port, "127.0.0.1");
  const half = connectTcp(port, "127.0.0.1");
  half.write(Buffer.from([22, 3, 1, 2, 0]));
  const left = connectTcp(port, "127.0.0.1").end();
  await Promise.all([silent, half, left].map((socket) => once(socket.resume(), "close")));
  await expectSoon(async () => (await snapshot()).handshakes).toEqual({ full: 0, resumed: 0, failed: 3 });
});

describe("a client that asks for", () => {
  it.each([
    ["no name", undefined, "localhost"],
    ["a name that no certificate has", "other.test", "localhost"],
    ["the exact name", "shop.test", "shop.test"],
    ["the same in capitals", "SHOP.Test", "shop.test"],
    ["one that a wildcard covers", "a.shop.test", "shop.test"],
    ["one that has an exact certificate beside the wildcard", "cart.shop.test", "cart.shop.test"],
    ["one with a label more than the wildcard", "a.b.shop.test", "localhost"],
  ])("%s is shown the certificate for it", async (_, servername, name) => {
    const { port } = await startTls("one process", SEVERAL);
    for (const version of TLS_VERSIONS) {
      const asked = await askOverTls(port, { ...speaking(version), ...(servername && { servername }) });
      expect(asked).toMatchObject({ status: "200", name, isResumed: false });
    }
  });

  it.each([
    ["EC", "ECDSA+SHA256", "ecdsa_secp256r1_sha256", "ec"],
    ["RSA", "RSA-PSS+SHA256", "rsa_pss_rsae_sha256", "rsa"],
  ])("a name with keys of two kinds is shown the one that it can read: %s", async (_, before, since, kind) => {
    for (const certificates of [[SHOP, SHOP_RSA], SEVERAL.certificates]) {
      const { port } = await startTls("one process", { certificates });
      for (const [version, sigalgs] of [["TLSv1.2", before] as const, ["TLSv1.3", since] as const]) {
        const asked = await askOverTls(port, { ...speaking(version), servername: "shop.test", sigalgs });
        expect(asked).toMatchObject({ status: "200", name: "shop.test", kind });
      }
    }
  });
});

describe.each(WAYS)("a balancer in %s", (way) => {
  it.each(TLS_VERSIONS)("resumes sessions of %s, and counts as many as clients have seen", async (version) => {
    const { port, snapshot, backend } = await startTls(way, SEVERAL);
    const options = { ...speaking(version), servername: "a.shop.test" };
    const { session } = await askOverTls(port, options);
    expect(await askAgain(port, 8, { ...options, ...(session && { session }) })).toBe(8);
    // Each process has a connection of its own to the backend.
    expect(backend.connections()).toBe(way === "one process" ? 1 : 2);
    // A session is of the names of its certificate.
    expect(await askOverTls(port, { ...options, servername: "localhost", ...(session && { session }) })).toMatchObject({
      isResumed: false,
      name: "localhost",
    });
    await once(connectTcp(port, "127.0.0.1").end("no TLS"), "close");
    expect((await snapshot()).handshakes).toEqual({ full: 2, resumed: 8, failed: 1 });
  });

  it("resumes no session of a client that takes no tickets", async () => {
    const { port, snapshot } = await startTls(way, SEVERAL);
    const options = { ...speaking("TLSv1.2"), servername: "localhost", secureOptions: constants.SSL_OP_NO_TICKET };
    expect(await askAgain(port, 5, options)).toBe(0);
    expect((await snapshot()).handshakes).toEqual({ full: 5, resumed: 0, failed: 0 });
  });

  it("shows other certificates under load, and loses neither a request nor a connection", async () => {
    const { port, url, reloadCertificates, backend } = await startTls(way, SEVERAL);
    const kept = connectTls({ port, ca: LOCALHOST.cert, servername: "localhost" });
    onTestFinished(() => void kept.destroy());
    let answers = 0;
    kept.on("data", (piece) => (answers += piece.toString("latin1").split("HTTP/1.1 200 OK").length - 1));
    const askOverKept = async (): Promise<void> => {
      const before = answers;
      kept.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
      await expectSoon(() => answers).toBe(before + 1);
    };
    await askOverKept();
    const load = startLoad(url, () => "GET", 4);
    /** What new connections are shown, four at a time, until it is ended. */
    const seen: string[] = [];
    let goesOn = true;
    const connecting = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (goesOn) {
          const { status, name } = await askOverTls(port, { servername: "shop.test" });
          seen.push(`${status} ${name}`);
        }
      }),
    );
    const more = async (): Promise<void> => {
      const before = seen.length;
      await load.more(50);
      await expectSoon(() => seen.length).toBeGreaterThan(before + 10);
    };
    await more();
    const upTo = seen.length;
    await reloadCertificates(INTERNAL);
    const after = await Promise.all(Array.from({ length: 8 }, () => askOverTls(port, { servername: "shop.test" })));
    expect(countEach(after.map(({ name }) => String(name)))).toEqual({ "app.internal": 8 });
    await more();
    await askOverKept();
    const bad = async () => reloadCertificates({ ...INTERNAL, key: SHOP.key });
    await expect(bad()).rejects.toMatchObject({
      name: "BalancerOptionsError",
      message: expect.stringMatching(/^tls\.key: expected the private key of the certificate beside it/),
    });
    await reloadCertificates(SEVERAL);
    await more();
    await askOverKept();
    goesOn = false;
    await connecting;
    const outcomes = await load.stop();
    expect(countOutcomes(outcomes)).toEqual({ 200: outcomes.length });
    expect(Object.keys(countEach(seen)).toSorted()).toEqual(["200 app.internal", "200 shop.test"]);
    expect(new Set(seen.slice(0, upTo))).toEqual(new Set(["200 shop.test"]));
    expect(backend.connections()).toBeGreaterThan(0);
  });

  it("has nothing to reload where it speaks no TLS", async () => {
    const { reloadCertificates, snapshot } = await startTls(way);
    await expect((async () => reloadCertificates(LOCALHOST))()).rejects.toThrow(
      /^tls: expected a balancer that speaks TLS with its clients/,
    );
    expect(await snapshot()).not.toHaveProperty("handshakes");
  });
});

it.each(TLS_VERSIONS)("resumes no session of former keys, but of the same keys elsewhere: %s", async (version) => {
  const one = await startTls("one process", { ...LOCALHOST, ticketKeys: TICKET_KEYS });
  const other = await startTls("one process", { ...LOCALHOST, ticketKeys: TICKET_KEYS });
  const options = { ...speaking(version), servername: "localhost" };
  const { session } = await askOverTls(one.port, options);
  const again = { ...options, ...(session && { session }) };
  expect((await askOverTls(other.port, again)).isResumed).toBe(true);
  await one.reloadCertificates(LOCALHOST);
  expect((await askOverTls(one.port, again)).isResumed).toBe(true);
  await one.reloadCertificates({ ...LOCALHOST, ticketKeys: Buffer.alloc(48, "others") });
  expect((await askOverTls(one.port, again)).isResumed).toBe(false);
});

it("resumes sessions in mode tcp as well", async () => {
  const { port, snapshot } = await startTls("one process", LOCALHOST, { mode: "tcp" });
  expect(await askAgain(port, 3, speaking("TLSv1.3"))).toBe(2);
  expect((await snapshot()).handshakes).toEqual({ full: 1, resumed: 2, failed: 0 });
});

it("makes other keys for tickets every day, until it is stopped", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const given: string[] = [];
  const stop = changeTicketKeys((keys) => given.push(keys.toString("hex")));
  vi.advanceTimersByTime(3 * BALANCER_DEFAULTS.ticketKeysMs);
  stop();
  vi.advanceTimersByTime(3 * BALANCER_DEFAULTS.ticketKeysMs);
  expect(given.map(({ length }) => length)).toEqual([96, 96, 96]);
  expect(new Set(given).size).toBe(3);
});
