import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { HTTP2 } from "@lbbench/wire";
import {
  END_HEADERS,
  END_STREAM,
  frame,
  FRAME,
  frameClient,
  literalFields,
  requestFrame,
} from "../test-support/http2-frames.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { secondOpinion, startWireBackend } from "../test-support/wire.js";

type Pairs = readonly (readonly [name: string, value: string])[];

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
const USUAL: Pairs = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/first"],
  [":authority", "a"],
];

/** What is malformed, or no head of HTTP/1.1: fields that take the place of the usual ones, or stand behind them. */
const HEADS: readonly (readonly [what: string, fields: Pairs])[] = [
  ["a blank in the path", [[":path", "/first HTTP/1.1"]]],
  ["line ends in the path", [[":path", `/first HTTP/1.1\r\nHost: a\r\n\r\n${SMUGGLED}`]]],
  ["a line feed in the path", [[":path", "/first\nX-Smuggled: 1"]]],
  ["a NUL in the path", [[":path", "/first\0"]]],
  ["no path", [[":path", ""]]],
  ["a path without a slash", [[":path", "first"]]],
  ["a URL as the path", [[":path", "http://b/smuggled"]]],
  ["the path *", [[":path", "*"]]],
  ["line ends in the authority", [[":authority", "a\r\nX-Smuggled: 1"]]],
  ["a blank in the authority", [[":authority", "a b"]]],
  ["a path in the authority", [[":authority", "a/smuggled"]]],
  ["a user in the authority", [[":authority", "smuggled@a"]]],
  ["an authority and another host", [["host", "smuggled"]]],
  [
    "two hosts",
    [
      ["host", "a"],
      ["host", "a"],
    ],
  ],
  ["line ends in the method", [[":method", `${SMUGGLED}GET`]]],
  ["a blank in the method", [[":method", "GET /smuggled"]]],
  ["a method in small letters", [[":method", "get"]]],
  ["the method of a preface", [[":method", "PRI"]]],
  ["CONNECT with a path", [[":method", "CONNECT"]]],
  ["a scheme that is none", [[":scheme", "http\r\nX-Smuggled: 1"]]],
  ["a pseudo-field that is not known", [[":smuggled", "1"]]],
  [
    "an extended CONNECT",
    [
      [":method", "CONNECT"],
      [":protocol", "websocket"],
    ],
  ],
  ["line ends in a value", [["x-a", `b\r\nX-Smuggled: 1\r\n\r\n${SMUGGLED}`]]],
  ["a line feed in a value", [["x-a", "b\nX-Smuggled: 1"]]],
  ["a carriage return in a value", [["x-a", "b\rX-Smuggled: 1"]]],
  ["a NUL in a value", [["x-a", "b\0smuggled"]]],
  ["a blank in front of a value", [["x-a", " smuggled"]]],
  ["line ends in a cookie", [["cookie", "a=1\r\nX-Smuggled: 1"]]],
  ["a name with capitals", [["X-Smuggled", "1"]]],
  ["a name with a blank", [["x-smuggled ", "1"]]],
  ["a name with a colon", [["x-a: b\r\nx-smuggled", "1"]]],
  ["a name that is empty", [["", "smuggled"]]],
  ["transfer-encoding", [["transfer-encoding", "chunked"]]],
  ["transfer-encoding with capitals", [["Transfer-Encoding", "chunked"]]],
  ["connection", [["connection", "x-smuggled"]]],
  ["proxy-connection", [["proxy-connection", "keep-alive"]]],
  ["keep-alive", [["keep-alive", "timeout=5"]]],
  ["upgrade", [["upgrade", "websocket"]]],
  ["te with something else", [["te", "gzip"]]],
  ["a content-length that is no number", [["content-length", "abc"]]],
  ["a content-length with a sign", [["content-length", "+0"]]],
  [
    "two content-lengths",
    [
      ["content-length", "0"],
      ["content-length", "1"],
    ],
  ],
  ["two content-lengths in one", [["content-length", "0, 0"]]],
  ["a content-length without a body", [["content-length", "5"]]],
];

/** What is a stream of its own: frames behind the settings of a client. */
const BODIES: readonly (readonly [what: string, frames: readonly Buffer[]])[] = [
  ["a body longer than its length", bodyOf("4", "GET ", SMUGGLED)],
  ["a body where its length is 0", bodyOf("0", SMUGGLED)],
  ["a body shorter than its length", bodyOf("1000", SMUGGLED)],
  ["trailers with a pseudo-field", trailersOf([[":path", "/smuggled"]])],
  ["trailers with line ends", trailersOf([["x-a", "b\r\nX-Smuggled: 1"]])],
  ["trailers with a host", trailersOf([["host", "smuggled"]])],
  ["trailers with a length", trailersOf([["content-length", "0"]])],
  ["trailers with transfer-encoding", trailersOf([["transfer-encoding", "chunked"]])],
  ["a pseudo-field behind others", [headOf([...USUAL.slice(0, 3), ["x-a", "b"], [":authority", "smuggled"]])]],
  ["a path twice", [headOf([...USUAL, [":path", "/smuggled"]])]],
  ["no method", [headOf(USUAL.slice(1))]],
  ["no scheme", [headOf([USUAL[0], USUAL[2], USUAL[3]] as never)]],
];

function headOf(fields: Pairs): Buffer {
  return frame(FRAME.headers, END_HEADERS | END_STREAM, 1, literalFields(fields));
}

function bodyOf(length: string, ...pieces: readonly string[]): Buffer[] {
  const head = requestFrame(
    1,
    [
      [":method", "POST"],
      ["content-length", length],
    ],
    END_HEADERS,
  );
  const data = pieces.map((piece, index) =>
    frame(FRAME.data, index === pieces.length - 1 ? END_STREAM : 0, 1, Buffer.from(piece)),
  );
  return [head, ...data];
}

function trailersOf(fields: Pairs): Buffer[] {
  const head = requestFrame(1, [[":method", "POST"]], END_HEADERS);
  return [head, frame(FRAME.headers, END_HEADERS | END_STREAM, 1, literalFields(fields))];
}

describe("a balancer whose clients of HTTP/2 smuggle", () => {
  async function attack(...frames: readonly Buffer[]) {
    const backend = await startWireBackend();
    const { port, snapshot } = await startBalancer({ backends: [{ url: backend.url }] });
    const client = frameClient(port, ...frames);
    const isRefused = (): boolean => client.resetOf(1) !== undefined || client.of(FRAME.headers, 1).length > 0;
    await expectSoon(isRefused).toBe(true);
    return { backend, client, snapshot };
  }

  /** What the backend has been sent means to it no more than what it was asked behind the attack. */
  async function expectUnharmed({ backend, client, snapshot }: Awaited<ReturnType<typeof attack>>): Promise<void> {
    client.write(requestFrame(3, [[":path", "/last"]]));
    await expectSoon(() => client.of(FRAME.data, 3).length).toBeGreaterThan(0);
    await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
    const served = backend.received().filter((wire) => wire.includes("/last"));
    const opinions = await Promise.all(served.map((wire) => secondOpinion(wire)));
    expect(opinions.flat()).toEqual([{ method: "GET", target: "/last", body: "" }]);
    for (const wire of backend.received()) expect(wire).not.toMatch(/smuggled/i);
  }

  it.each(HEADS)("passes nothing on that has %s", async (_, fields) => {
    const attacked = await attack(requestFrame(1, fields));
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
    expect(attacked.client.resetOf(1)).toBe(HTTP2.PROTOCOL_ERROR);
    await expectUnharmed(attacked);
  });

  it.each(["4", "0", "1000"])(
    "passes no body on beside its length of %s, when it comes later than its head",
    async (length) => {
      const [head = Buffer.alloc(0), ...data] = bodyOf(length, "smuggled");
      const backend = await startWireBackend();
      const { port, snapshot } = await startBalancer({ backends: [{ url: backend.url }] });
      const client = frameClient(port, head);
      await expectSoon(() => backend.received().join("")).toContain("/first");
      client.write(...data);
      await expectSoon(() => client.resetOf(1)).toBeDefined();
      await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
      expect(backend.received().join("")).not.toContain("smuggled");
    },
  );

  it("passes announced trailers on, but for those that say who sends it, or are the balancer's to say", async () => {
    const backend = await startWireBackend();
    const { port } = await startBalancer({ backends: [{ url: backend.url }] });
    const head = requestFrame(
      1,
      [
        [":method", "POST"],
        ["trailer", "x-checksum"],
      ],
      END_HEADERS,
    );
    const body = frame(FRAME.data, 0, 1, Buffer.from("body"));
    const trailers = literalFields([
      ["x-checksum", "1234"],
      ["x-forwarded-for", "6.6.6.6"],
      ["forwarded", "for=6.6.6.6"],
      ["proxy", "evil"],
      ["authorization", "evil"],
    ]);
    const client = frameClient(port, head, body, frame(FRAME.headers, END_HEADERS | END_STREAM, 1, trailers));
    await expectSoon(() => backend.received().join("")).toMatch(/\r\n4\r\nbody\r\n0\r\nx-checksum: 1234\r\n\r\n$/);
    expect(backend.received().join("")).toContain("\r\nTrailer: x-checksum\r\n");
    expect(client.resetOf(1)).toBeUndefined();
  });
});

describe("a balancer whose clients of HTTP/2 flood", () => {
  /** How much of it the balancer takes before it says ENHANCE_YOUR_CALM and closes the connection. */
  async function flood(piece: (index: number) => Buffer, pieces: number) {
    let requests = 0;
    const backend = await startBackend((_, response) => {
      requests += 1;
      response.end();
    });
    const { port, stats } = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const client = frameClient(port);
    client.write(Buffer.concat(Array.from({ length: pieces }, (_, index) => piece(index))));
    await client.closed;
    expect(client.goaway()).toBe(HTTP2.ENHANCE_YOUR_CALM);
    await expectSoon(() => stats()["one"]?.inFlight).toBe(0);
    return { requests, client, connections: backend.connections(), ...stats()["one"] };
  }

  const reset = (code: number): Buffer => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(code);
    return payload;
  };

  it("gives up a client that opens streams and resets them at once", async () => {
    const pair = (index: number): Buffer =>
      Buffer.concat([requestFrame(2 * index + 1), frame(FRAME.reset, 0, 2 * index + 1, reset(HTTP2.CANCEL))]);
    const { requests, connections, aborted, errors } = await flood(pair, 20_000);
    expect(requests).toBeLessThan(1200);
    expect(connections).toBeLessThan(1200);
    expect(aborted).toBeGreaterThan(999);
    expect(aborted).toBeLessThan(1200);
    expect(errors).toBe(0);
  });

  it("gives up a client that has the balancer reset its streams", async () => {
    const pair = (index: number): Buffer =>
      Buffer.concat([requestFrame(2 * index + 1), frame(FRAME.window, 0, 2 * index + 1, reset(0))]);
    const { requests, aborted } = await flood(pair, 20_000);
    expect(requests).toBeLessThan(1200);
    expect(aborted).toBeLessThan(1200);
  });

  it.each([
    ["PING", () => frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
    ["SETTINGS", () => frame(FRAME.settings, 0, 0)],
    ["frames of a kind that is not known", () => frame(0x42, 0, 0)],
    ["PRIORITY", () => frame(2, 0, 1, Buffer.from([0, 0, 0, 3, 0]))],
  ])("gives up a client that sends nothing but %s", async (_, piece) => {
    const { requests } = await flood(piece, 200_000);
    expect(requests).toBe(0);
  });

  it("gives up a client whose fields come in CONTINUATION without an end", async () => {
    const head = frame(FRAME.headers, END_STREAM, 1, literalFields(USUAL));
    const more = frame(FRAME.continuation, 0, 1, literalFields([["x-a", "b".repeat(10_000)]]));
    const { requests } = await flood((index) => (index === 0 ? head : more), 2000);
    expect(requests).toBe(0);
  });

  it("refuses streams beyond those that it has said it takes, and they may be sent again", async () => {
    const answers: (() => void)[] = [];
    const backend = await startBackend((_, response) => void answers.push(() => response.end("served")));
    const { port, stats } = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
    const ids = Array.from({ length: 200 }, (_, index) => 2 * index + 1);
    const client = frameClient(port, ...ids.map((id) => requestFrame(id)));
    await expectSoon(() => answers.length).toBe(128);
    await expectSoon(() => client.of(FRAME.reset).length).toBe(72);
    expect(ids.map((id) => client.resetOf(id))).toEqual(
      ids.map((_, index) => (index < 128 ? undefined : HTTP2.REFUSED_STREAM)),
    );
    for (const answer of answers) answer();
    await expectSoon(() => client.of(FRAME.data).filter(({ payload }) => payload.length > 0).length).toBe(128);
    expect(stats()["one"]).toEqual({ requests: 128, errors: 0, aborted: 0, inFlight: 0 });
  });
});
