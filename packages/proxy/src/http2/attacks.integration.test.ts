import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import {
  data,
  FRAME,
  headers,
  longTrailers,
  resetStream,
  textOf,
  windowUpdate,
} from "@lbbench/test-support/http2-frames.js";
import { HTTP2 } from "@lbbench/wire";
import { frameClient, requestFrame } from "../test-support/http2-frames.js";
import { startBackend, startHolding } from "../test-support/servers.js";
import { secondOpinion, startWireBackend } from "../test-support/wire.js";
import { balance } from "./test-support/balance.js";

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

/**
 * What is malformed, or no head of HTTP/1.1: fields that take the place of the usual ones, or stand behind them. Of the malformed,
 * which are in fields.test.ts of the wire, only what would make a second request.
 */
const HEADS: readonly (readonly [what: string, ...fields: string[]])[] = [
  ["line ends in the path", ":path", `/first HTTP/1.1\r\nHost: a\r\n\r\n${SMUGGLED}`],
  ["a URL as the path", ":path", "http://b/smuggled"],
  ["line ends in the authority", ":authority", "a\r\nX-Smuggled: 1"],
  ["an authority and another host", "host", "smuggled"],
  ["line ends in the method", ":method", `${SMUGGLED}GET`],
  ["a method in small letters", ":method", "get"],
  ["the method of a preface", ":method", "PRI"],
  ["CONNECT with a path", ":method", "CONNECT"],
  ["CONNECT with a protocol", ":method", "CONNECT", ":protocol", "websocket"],
  ["line ends in the scheme", ":scheme", "http\r\nX-Smuggled: 1"],
  ["line ends in a value", "x-a", `b\r\nX-Smuggled: 1\r\n\r\n${SMUGGLED}`],
  ["a line feed in a value", "x-a", "b\nX-Smuggled: 1"],
  ["line ends in a cookie", "cookie", "a=1\r\nX-Smuggled: 1"],
  ["line ends in a name", "x-a: b\r\nx-smuggled", "1"],
  ["transfer-encoding", "transfer-encoding", "chunked"],
  ["transfer-encoding with capitals", "Transfer-Encoding", "chunked"],
  ["connection", "connection", "x-smuggled"],
  ["two content-lengths", "content-length", "0", "content-length", "1"],
  ["a content-length without a body", "content-length", "5"],
];

const POST = [":method", "POST"];
const withBody = (length: string, ...pieces: readonly string[]): Buffer[] => [
  requestFrame(1, [...POST, "content-length", length], false),
  ...pieces.map((piece, index) => data(1, piece, index === pieces.length - 1)),
];
const withTrailers = (...fields: readonly string[]): Buffer[] => [
  requestFrame(1, POST, false),
  headers(1, fields, true),
];

/** What is a stream of its own: frames behind the settings of a client. */
const BODIES: readonly (readonly [what: string, frames: readonly Buffer[]])[] = [
  ["a body longer than its length", withBody("4", "GET ", SMUGGLED)],
  ["a body where its length is 0", withBody("0", SMUGGLED)],
  ["a body shorter than its length", withBody("1000", SMUGGLED)],
  ["trailers with a pseudo-field", withTrailers(":path", "/smuggled")],
  ["trailers with line ends", withTrailers("x-a", "b\r\nX-Smuggled: 1")],
  ["trailers with transfer-encoding", withTrailers("transfer-encoding", "chunked")],
];

describe("a balancer whose clients of HTTP/2 smuggle", () => {
  async function attack(...frames: readonly Buffer[]) {
    const { port, snapshot, backend } = await balance(startWireBackend());
    const client = frameClient(port, ...frames);
    const isRefused = (): boolean => client.resetOf(1) !== undefined || client.of(FRAME.HEADERS, 1).length > 0;
    return { backend, client, snapshot, refused: () => expectSoon(isRefused).toBe(true) };
  }

  /** What the backend has been sent means to it no more than what it was asked behind the attack. */
  async function expectUnharmed({ backend, client, snapshot }: Awaited<ReturnType<typeof attack>>): Promise<void> {
    client.write(requestFrame(3, [":path", "/last"]));
    await expectSoon(() => client.of(FRAME.DATA, 3).length).toBeGreaterThan(0);
    await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
    const served = backend.received().filter((wire) => wire.includes("/last"));
    const opinions = await Promise.all(served.map((wire) => secondOpinion(wire)));
    expect(opinions.flat()).toEqual([{ method: "GET", target: "/last", body: "" }]);
    for (const wire of backend.received()) expect(wire).not.toMatch(/smuggled/i);
  }

  it.each(HEADS)("passes nothing on that has %s", async (_, ...fields) => {
    const attacked = await attack(requestFrame(1, fields));
    await attacked.refused();
    expect(attacked.backend.connections()).toBe(0);
    const code = attacked.client.resetOf(1);
    // What HTTP/2 does not have is reset; a head that HTTP/1.1 does not have is answered as it is there.
    const [refusal] = Object.keys(attacked.snapshot().refused);
    expect([`reset with ${code}`, `answered ${refusal}`]).toContainEqual(
      expect.stringMatching(/^(reset with 1|answered (400|501|505))$/),
    );
    await expectUnharmed(attacked);
  });

  it.each(BODIES)("passes nothing on that would be taken for more than one request: %s", async (_, frames) => {
    const attacked = await attack(...frames);
    await attacked.refused();
    expect(attacked.client.resetOf(1)).toBe(HTTP2.PROTOCOL_ERROR);
    await expectUnharmed(attacked);
  });

  it.each(["4", "0", "1000"])(
    "passes no body on beside its length of %s, when it comes later than its head",
    async (length) => {
      const [head = Buffer.alloc(0), ...rest] = withBody(length, "smuggled");
      const { backend, client, snapshot } = await attack(head);
      await expectSoon(() => backend.received().join("")).toContain("/first");
      client.write(...rest);
      await expectSoon(() => client.resetOf(1)).toBeDefined();
      await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
      expect(backend.received().join("")).not.toContain("smuggled");
    },
  );

  it("passes announced trailers on, but for those that say who sends it, or are the balancer's to say", async () => {
    const head = requestFrame(1, [...POST, "trailer", "x-checksum"], false);
    const owned = ["x-forwarded-for", "6.6.6.6", "forwarded", "for=6.6.6.6", "proxy", "evil", "authorization", "evil"];
    const { backend, client } = await attack(head, data(1, "body"), headers(1, ["x-checksum", "1234", ...owned], true));
    await expectSoon(() => backend.received().join("")).toMatch(/\r\n4\r\nbody\r\n0\r\nx-checksum: 1234\r\n\r\n$/);
    expect(backend.received().join("")).toContain("\r\nTrailer: x-checksum\r\n");
    expect(client.resetOf(1)).toBeUndefined();
  });
});

describe("a balancer whose clients of HTTP/2 send trailers that are too long", () => {
  /** Sends a request with them; the next stream then gets its own answer, and no request stays in flight. */
  async function send(bytes: number) {
    const held: (() => void)[] = [];
    const backend = await startBackend((incoming, response) => {
      if (incoming.url === "/first") held.push(() => response.end("first"));
      else response.end("second");
    });
    const balancer = await balance(backend);
    const client = frameClient(balancer.port, requestFrame(1, POST, false));
    await expectSoon(() => held.length).toBe(1);
    client.write(longTrailers(1, bytes), requestFrame(3, [":path", "/second"]));
    for (const answer of held) answer();
    await expectSoon(() => textOf(client.of(FRAME.DATA, 3))).toBe("second");
    await expectSoon(() => balancer.stats()["one"]).toEqual({ requests: 2, errors: 0, aborted: 1, inFlight: 0 });
    expect(client.goaway()).toBeUndefined();
    return { ...balancer, client };
  }

  it("resets the stream of those that it does not read, and answers the next one", async () => {
    const { client, entries } = await send(30_000);
    expect(client.resetOf(1)).toBe(HTTP2.ENHANCE_YOUR_CALM);
    expect(entries[0]?.error).toBe("The request cannot be read: its trailers are too long.");
  });

  it("answers 400 to those that HTTP/1.1 would not have, and then the next stream", async () => {
    const { client, snapshot } = await send(20_000);
    const body = "The body of the request cannot be read: its trailers are too long.\n";
    expect(textOf(client.of(FRAME.DATA, 1))).toBe(body);
    expect(snapshot().refused).toEqual({ "400": 1 });
  });
});

describe("a balancer whose clients of HTTP/2 flood", () => {
  // Frames that carry nothing, and fields without an end: floods.integration.test.ts of the wire.
  it.each([
    ["it resets at once", (stream: number) => resetStream(stream)],
    ["it has the balancer reset", (stream: number) => windowUpdate(stream, 0)],
  ])("gives up a client that opens streams which %s", async (_, then) => {
    let requests = 0;
    const backend = await startBackend((__, response) => {
      requests += 1;
      response.end();
    });
    const { port, stats } = await balance(backend);
    const client = frameClient(port);
    const ids = Array.from({ length: 20_000 }, (__, index) => 2 * index + 1);
    client.write(Buffer.concat(ids.flatMap((id) => [requestFrame(id), then(id)])));
    await client.closed;
    expect(client.goaway()).toBe(HTTP2.ENHANCE_YOUR_CALM);
    await expectSoon(() => stats()["one"]?.inFlight).toBe(0);
    const { aborted, errors } = stats()["one"] ?? { aborted: 0, errors: 0 };
    expect(Math.max(requests, backend.connections(), aborted)).toBeLessThan(1200);
    expect(aborted).toBeGreaterThan(999);
    expect(errors).toBe(0);
  });

  it("refuses streams beyond those that it has said it takes, and they may be sent again", async () => {
    const { port, stats, backend } = await balance(startHolding("served"));
    const ids = Array.from({ length: 200 }, (_, index) => 2 * index + 1);
    const client = frameClient(port, ...ids.map((id) => requestFrame(id)));
    await expectSoon(() => backend.held.length).toBe(128);
    await expectSoon(() => client.of(FRAME.RST_STREAM).length).toBe(72);
    const codes = ids.map((id) => client.resetOf(id));
    expect(codes).toEqual(ids.map((_, index) => (index < 128 ? undefined : HTTP2.REFUSED_STREAM)));
    backend.letGo();
    await expectSoon(() => client.of(FRAME.DATA).filter(({ payload }) => payload.length > 0).length).toBe(128);
    expect(stats()["one"]).toEqual({ requests: 128, errors: 0, aborted: 0, inFlight: 0 });
  });
});
