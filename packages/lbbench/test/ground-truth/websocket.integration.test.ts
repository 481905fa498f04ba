import net from "node:net";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { describe, expect, it, vi } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { Load } from "../../src/plugin.js";
import { defined } from "../../src/stats/defined.js";
import type { Outcome } from "../../src/testing/ground-truth/action.js";
import { everyNth } from "../../src/testing/ground-truth/cases.js";
import { standUp } from "../../src/testing/ground-truth/truth-server.js";
import { expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { measure, send, type LoadOptions, type Measured } from "./measure.js";
import { SUBJECTS } from "./subjects.js";
import {
  startWebSocketTruthServer,
  type MessageAction,
  type MessageBehaviour,
  type MessageLog,
  type UpgradeOptions,
} from "./websocket-server.js";

const MESSAGES = 100;
const LEVEL = { connections: 10, requests: MESSAGES };
const ECHO: MessageAction = { end: "echo" };
const echo: MessageBehaviour = () => ECHO;

/** Does something with every tenth message; the others come back. */
const everyTenth = (end: MessageAction["end"], more: object = {}): MessageBehaviour =>
  everyNth<MessageAction>({ 10: { end, ...more } }, ECHO);

describe.each(SUBJECTS.filter(({ scheme }) => scheme === "ws"))("$name", (subject) => {
  const load = (
    behaviour: MessageBehaviour,
    level: Load["level"] = LEVEL,
    { upgrade, greeting, identity, ...options }: LoadOptions & UpgradeOptions = {},
  ): Promise<Measured<MessageLog>> => {
    const reach = defined({ upgrade, greeting, identity });
    return measure(subject, startWebSocketTruthServer(behaviour, reach), level, options);
  };

  it.each<[string, NonNullable<LoadOptions["request"]>, string, boolean, number]>([
    ["a short text by default", {}, "hello", false, 5],
    ["a text", { body: "gr\u00FC\u00DFe" }, "gr\u00FC\u00DFe", false, 7],
    ["an empty text", { body: "" }, "", false, 0],
    ["bytes", { body: "aGVsbG8h", bodyEncoding: "base64" }, "hello!", true, 6],
    ["126 bytes", { body: "x".repeat(126) }, "x".repeat(126), false, 126],
    ["70 kB", { body: "x".repeat(70_000) }, "x".repeat(70_000), false, 70_000],
  ])(
    "sends %s over connections that are kept, and agrees with the server on every echo and byte",
    async (_, request, text, isBinary, size) => {
      const { measurement, log } = await load(echo, LEVEL, { request });
      expect(measurement.requests).toMatchObject({ sent: MESSAGES, ok: MESSAGES });
      expect(measurement.connections).toEqual({ asked: 10, opened: 10, established: 10 });
      expect(log.message).toEqual({ text, isBinary });
      expect(measurement.bytes.body).toBe(MESSAGES * size);
      expect(log.closed).toEqual({ 1000: 10 });
      expectSameAccounts(measurement, log);
      expectBytes(measurement, log);
    },
  );

  it("asks for the path with headers, credentials and subprotocols, and tells any text that is expected from others", async () => {
    const server = await startWebSocketTruthServer((number) => ({ end: number % 4 === 0 ? "echo" : "other" }));
    const request: LoadOptions["request"] = {
      body: "hi",
      expectBody: "no echo",
      headers: [
        ["X-Tag", "1"],
        ["x-tag", "2"],
        ["Sec-WebSocket-Protocol", "v1, v2"],
      ],
    };
    const url = server.url.replace("//", "//me%40home:secret@");
    const { measurement } = await measure(subject, { ...server, url: `${url}echo?room=1#top` }, LEVEL, { request });
    const authorization = `Basic ${Buffer.from("me@home:secret").toString("base64")}`;
    expect(server.log.first).toMatchObject({ url: "/echo?room=1", headers: { "x-tag": "1, 2", authorization } });
    expect(server.log.first?.headers["sec-websocket-extensions"]).toBeUndefined();
    expect(measurement.requests).toMatchObject({ sent: MESSAGES, ok: 75, mismatched: 25 });
  });

  it.each<[string, MessageAction["end"], object]>([
    ["closes the connection", "fin", {}],
    ["resets the connection", "rst", { ECONNRESET: 10 }],
    ["answers with something else", "other", {}],
    ["closes in order", 1000, { CLOSE_1000: 10 }],
    ["closes because of an error", 1011, { CLOSE_1011: 10 }],
  ])("agrees with a server that %s at every tenth message", async (_, end, codes) => {
    const { measurement, log } = await load(everyTenth(end));
    expect(measurement.requests).toMatchObject({ sent: MESSAGES, ok: 90 });
    expect(measurement.errorCodes).toEqual(codes);
    // Each of them costs its connection.
    expect(measurement.connections.established).toBeGreaterThan(15);
    expectSameAccounts(measurement, log);
  });

  it("gives up messages that are never answered, with their connections", async () => {
    const { measurement, log } = await load(everyTenth("hang"), LEVEL, { timeoutMs: 1000 });
    expect(measurement.requests).toMatchObject({ sent: MESSAGES, ok: 90, timedOut: 10 });
    expectSameAccounts(measurement, log);
  });

  it.each<[string, MessageBehaviour, UpgradeOptions, number]>([
    ["with every tenth message", everyTenth("echo", { more: "more" }), {}, MESSAGES],
    ["before it is asked", echo, { greeting: "welcome" }, 0],
  ])("never takes for an echo what a server says besides, %s", async (_, behaviour, how, most) => {
    const { measurement, log } = await load(behaviour, LEVEL, how);
    const { sent, ok, mismatched, ...others } = measurement.requests;
    expect(sent).toBe(ok + mismatched);
    expect(Object.values(others).every((count) => count === 0)).toBe(true);
    expect(ok).toBeLessThanOrEqual(Math.min(log.outcomes.ok, most));
    expectConservation(measurement);
  });

  it.each([404, 503, 200])("counts upgrades that are answered with %i, each once", async (status) => {
    const upgrade = (number: number): number => (number % 2 === 0 ? status : 101);
    const options = { upgrade, keepAlive: false };
    const { measurement, log } = await load(echo, { connections: 4, requests: 20 }, options);
    const kind = status === 200 ? "mismatched" : "non2xx";
    expect(measurement.requests).toMatchObject({ sent: 20, ok: 10, [kind]: 10 });
    expect(measurement.statusCodes).toEqual({ OK: 10, [status]: 10 });
    expect(measurement.errorCodes).toEqual(status === 200 ? { NOT_UPGRADED: 10 } : {});
    expect([log.upgrades, log.requests, log.accepted]).toEqual([20, 10, measurement.connections.established]);
    expectConservation(measurement);
  });

  it("does not ask again at once where every upgrade is refused", async () => {
    const level = { connections: 4, durationMs: 500 };
    const { measurement, log, targetGone } = await load(echo, level, { upgrade: () => 503 });
    expect(targetGone).toBe(false);
    // After 10, 20, 40, 80, 160 and then 250 ms.
    expect(log.upgrades).toBeLessThanOrEqual(4 * 7);
    const { sent, inFlight } = measurement.requests;
    expect(measurement.requests).toMatchObject({ ok: 0, non2xx: sent - inFlight });
    expectConservation(measurement);
  });

  it.each<[string, string, object]>([
    ["no HTTP", "gibberish\r\n\r\n", { mismatched: 8 }],
    [
      "an upgrade to something else",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n",
      { mismatched: 8 },
    ],
    ["an end", "", { dropped: 8 }],
  ])("tells a server that answers the upgrade with %s", async (_, bytes, expected) => {
    const server = net.createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(bytes)));
    const { url, close } = await standUp(server, "ws");
    const { measurement } = await send(subject, url, { connections: 4, requests: 8 }, { timeoutMs: 5000 });
    await close();
    expect(measurement.requests).toMatchObject({ sent: 8, ok: 0, ...expected });
    expect(measurement.connections.established).toBe(8);
    expectConservation(measurement);
  });

  it("trusts the certificate that it is given, over wss, and no other", async () => {
    const options = { identity: LOCALHOST, certificate: String(LOCALHOST.cert) };
    const trusted = await load(everyTenth("fin"), LEVEL, options);
    expect(trusted.measurement.requests).toMatchObject({ ok: 90, dropped: 10 });
    expectSameAccounts(trusted.measurement, trusted.log);
    expect(trusted.measurement.opening?.tls).toMatchObject({ resumed: 0, full: trusted.log.accepted });
    const { measurement } = await load(echo, { connections: 1, requests: 2 }, { identity: LOCALHOST });
    expect(measurement.requests).toMatchObject({ connectErrors: 2 });
  });

  it("connects where it is told to, and asks for the path of the URL", async () => {
    const server = await startWebSocketTruthServer(echo);
    const connectTo = new URL(server.url).host;
    const level = { connections: 2, requests: 4 };
    const { measurement } = await measure(subject, { ...server, url: "ws://shop.test/chat" }, level, { connectTo });
    expect(measurement.requests).toMatchObject({ sent: 4, ok: 4 });
    expect(measurement.opening?.tcp).toBeDefined();
    expect(server.log.first).toMatchObject({ url: "/chat", headers: { host: "shop.test" } });
  });

  describe("at a rate", () => {
    const options = (sockets: number, more: object = {}): LoadOptions => ({ options: { sockets }, ...more });

    it("opens its WebSockets before the first message, uses them in turn, and waits for no echo", async () => {
      let release = (): void => {};
      const delay = new Promise<void>((resolve) => (release = resolve));
      const behaviour: MessageBehaviour = (number) => {
        if (number === 40) release();
        return { end: "echo", delay };
      };
      const server = await startWebSocketTruthServer(behaviour);
      const onStart = vi.fn<() => void>(() => expect([server.log.upgrades, server.log.requests]).toEqual([4, 0]));
      const level = { rate: 400, requests: 41 };
      const { measurement, log } = await measure(subject, server, level, options(4), { onStart });
      expect(onStart).toHaveBeenCalledOnce();
      expect(measurement.requests).toMatchObject({ sent: 41, ok: 41 });
      expect(measurement.connections).toEqual({ asked: 4, opened: 4, established: 4 });
      // None was opened in the time of the measurement.
      expect(measurement).not.toHaveProperty("opening");
      expect(measurement.schedule).toMatchObject({ planned: 41, unsent: 0 });
      expect(log.mostOpen).toBeGreaterThanOrEqual(40);
      expectSameAccounts(measurement, log);
    });

    it("splits WebSockets over generators without a rest", async () => {
      const server = startWebSocketTruthServer(echo);
      const split = options(7, { generators: 2 });
      const { measurement, log, generators } = await measure(subject, server, { rate: 400, requests: 60 }, split);
      expect(generators).toHaveLength(2);
      expect(measurement.connections).toEqual({ asked: 7, opened: 7, established: 7 });
      expectSameAccounts(measurement, log);
    });

    it.each<[MessageAction["end"], readonly Outcome[]]>([
      // Closing while messages are on their way is a reset as well.
      ["fin", ["dropped", "resets"]],
      ["other", ["mismatched"]],
      ["hang", ["timedOut"]],
    ])("a message that fails takes those with it that are open on its WebSocket: %s", async (end, kinds) => {
      const behaviour: MessageBehaviour = (number) =>
        number % 20 === 0 ? { end, delay: 30 } : { end: "echo", delay: 30 };
      const server = startWebSocketTruthServer(behaviour);
      const two = options(2, { timeoutMs: 1500 });
      const { measurement, log } = await measure(subject, server, { rate: 1000, requests: 200 }, two);
      const { sent, ok, inFlight } = measurement.requests;
      expect(sent).toBe(200);
      // A wrong answer is one of the message that it came for alone.
      expect(measurement.statusCodes["OK"]).toBeLessThanOrEqual(log.statusCodes["OK"] ?? 0);
      expect(measurement.opening?.count ?? 0).toBe(measurement.connections.established - 2);
      const failed = kinds.reduce((sum, kind) => sum + measurement.requests[kind], 0);
      expect(ok + failed).toBe(200);
      expect(inFlight).toBe(0);
      expect(ok).toBeLessThanOrEqual(log.outcomes.ok);
      expect(failed).toBeGreaterThanOrEqual(kinds.reduce((sum, kind) => sum + log.outcomes[kind], 0));
      expect(measurement.connections.established).toBe(log.accepted);
      expectConservation(measurement);
    });
  });

  it.each<[string, NonNullable<LoadOptions["request"]>, string]>([
    ["a POST", { method: "POST" }, 'method (--method): expected GET, with which every WebSocket is opened, got "POST"'],
    ["a status", { expectStatus: "101" }, 'because messages have no status, got "101"'],
    ["a header of the upgrade", { headers: [["Upgrade", "h2c"]] }, 'got "Upgrade". Leave it out.'],
    [
      "a subprotocol twice",
      { headers: [["Sec-WebSocket-Protocol", "a, a"]] },
      'each once, in Sec-WebSocket-Protocol, got "a, a"',
    ],
  ])("refuses %s before a generator is started", async (_, request, message) => {
    const onStart = vi.fn<() => void>();
    const sent = send(subject, "ws://127.0.0.1:1", { connections: 1, requests: 1 }, { request }, { onStart });
    await expect(sent).rejects.toThrow(message);
    expect(onStart).not.toHaveBeenCalled();
  });
});

/** What the server read and wrote beyond that came after the last echo: close frames. */
function expectBytes({ bytes, connections }: CompleteMeasurement, log: MessageLog): void {
  for (const beyond of [log.readBytes - bytes.sent, log.writtenBytes - bytes.received]) {
    expect(beyond).toBeGreaterThanOrEqual(0);
    expect(beyond).toBeLessThanOrEqual(8 * connections.asked);
  }
}
