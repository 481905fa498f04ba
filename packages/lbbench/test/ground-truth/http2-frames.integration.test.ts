import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { FailureClass } from "../../src/model/measurement.js";
import { expectConservation } from "./expect-accounts.js";
import {
  answer,
  data,
  goaway,
  headers,
  resetStream as rstStream,
  SETTING,
  settings,
} from "@lbbench/test-support/http2-frames.js";
import { startFrameServer, type FrameBehaviour } from "./http2-frame-server.js";
import { send, type LoadOptions } from "./measure.js";
import { SUBJECTS } from "./subjects.js";

const CANCEL = 8;

const head = (streamId: number, ...more: string[]): Buffer => headers(streamId, [":status", "200", ...more]);
const wholeAnswer = (streamId: number): Buffer => answer(streamId, "hello");
const broken = (streamId: number, code: number): Buffer =>
  Buffer.concat([head(streamId), data(streamId, "hel"), rstStream(streamId, code)]);
const tooShort = (streamId: number): Buffer => answer(streamId, "hello", "content-length", "10");
const WRONG = "RST_STREAM_PROTOCOL_ERROR";

/** What is wrong with every answer, what it counts as and is called, and whether the connection lives on. */
const BROKEN: readonly [string, (id: number) => Buffer, FailureClass, string | undefined, boolean?][] = [
  ["ends a stream in the middle of a body, as if all were well", (id) => broken(id, 0), "dropped", undefined],
  ["breaks a stream off in the middle of a body", (id) => broken(id, 2), "resets", "RST_STREAM_INTERNAL_ERROR"],
  ["cancels a stream in the middle of a body", (id) => broken(id, CANCEL), "resets", "RST_STREAM_CANCEL"],
  ["refuses a stream", (id) => rstStream(id, 7), "resets", "RST_STREAM_REFUSED_STREAM"],
  ["resets a stream for a reason that has no name", (id) => rstStream(id, 99), "resets", "RST_STREAM_99"],
  ["says that the request was wrong", (id) => rstStream(id, 1), "mismatched", WRONG],
  ["sends less than it promised", tooShort, "mismatched", WRONG],
  ["sends what no request has asked for", (id) => data(id + 2, "x"), "mismatched", "ERR_HTTP2_PROTOCOL_ERROR", false],
  ["ends the connection with an error", (id) => goaway(id, 11), "resets", "GOAWAY_ENHANCE_YOUR_CALM", false],
];

type Asked = LoadOptions & Partial<Record<"users" | "requests", number>>;

const greet: FrameBehaviour["onRequest"] = ({ streamId, socket }) => void socket.write(wholeAnswer(streamId));
const takesTwo = (socket: Socket): void => void socket.write(settings([SETTING.MAX_CONCURRENT_STREAMS, 2]));

/** What a server does, how it is asked, and what has to be counted: requests, and the connections that were made. */
const ODD: readonly [string, FrameBehaviour, Asked, requests: object, connections?: number][] = [
  [
    "leaves requests alone when it ends a connection in order: they are sent again, once",
    {
      // Of every ten the last three are left alone, as by a server that has had enough of this connection.
      onRequest: ({ streamId, socket, onConnection }) => {
        if (onConnection <= 7) socket.write(wholeAnswer(streamId));
        if (onConnection === 7) socket.write(goaway(streamId, 0));
      },
    },
    { users: 10, requests: 100 },
    { sent: 100, ok: 100 },
    Math.ceil(100 / 7),
  ],
  [
    "ends every connection in order without having dealt with anything: that is a failure",
    { onRequest: ({ socket }) => void socket.write(goaway(0, 0)) },
    { users: 2 },
    { sent: 20, resets: 20 },
  ],
  [
    "takes back requests that still waited for their turn: they are sent again",
    {
      onConnection: takesTwo,
      onRequest: (request) => {
        if (request.onConnection === 4) request.socket.write(goaway(request.streamId, 0));
        setTimeout(greet, 5, request);
      },
    },
    { users: 8, requests: 80 },
    { sent: 80, ok: 80 },
  ],
  [
    "takes two streams and answers neither: those who wait for their turn are given up as well",
    { onConnection: takesTwo, onRequest: () => {} },
    { users: 5, requests: 15, timeoutMs: 500 },
    { sent: 15, timedOut: 15 },
    1,
  ],
  [
    "accepts connections and never speaks: requests time out, and count as having had a connection",
    { onConnection: () => {}, onRequest: () => {}, isAlive: () => false },
    { users: 3, requests: 6, timeoutMs: 500 },
    { sent: 6, timedOut: 6 },
    1,
  ],
  [
    "answers two requests when one has come: the other had not been sent",
    {
      onRequest: ({ streamId, socket, onConnection }) => {
        const early = onConnection === 1 ? [wholeAnswer(streamId + 2)] : [];
        socket.write(Buffer.concat([wholeAnswer(streamId), ...early]));
      },
    },
    { requests: 10 },
    { sent: 10, ok: 9, mismatched: 1 },
    1,
  ],
  [
    "is sent large headers: whether they are too large is for the server to say",
    { onRequest: greet },
    { requests: 5, request: { headers: [["x-large", "x".repeat(200_000)]] } },
    { sent: 5, ok: 5 },
    1,
  ],
];

const SPEAKERS = SUBJECTS.filter(({ load }) => load.httpVersion === "2");

describe.concurrent.each(SPEAKERS)("$name, with a server that", (subject) => {
  /** All users share a connection. */
  const measure = async (behaviour: FrameBehaviour, { users = 1, requests = 20, ...options }: Asked = {}) => {
    const server = await startFrameServer(behaviour);
    const level = { connections: users, requests };
    const { measurement } = await send(subject, server.url, level, { ...options, options: { streams: users } });
    expectConservation(measurement);
    await server.close();
    return [measurement, server] as const;
  };

  it.each(BROKEN)("%s", async (_, answer, kind, code, lives = true) => {
    const behaviour: FrameBehaviour = { onRequest: ({ streamId, socket }) => void socket.write(answer(streamId)) };
    const [measurement, target] = await measure(behaviour);
    expect(measurement.requests).toMatchObject({ sent: 20, ok: 0, [kind]: 20 });
    expect(measurement.errorCodes).toEqual(code === undefined ? {} : { [code]: 20 });
    expect(measurement.connections.established).toBe(lives ? 1 : 20);
    expect(target.connections()).toBe(measurement.connections.established);
    expect(target.requests()).toBe(20);
  });

  it.each(ODD)("%s", async (_, behaviour, asked, counts, made) => {
    const [{ requests, connections }, target] = await measure(behaviour, asked);
    expect(requests).toMatchObject(counts);
    expect(target.requests()).toBeGreaterThanOrEqual(requests.ok);
    if (made === undefined) return;
    expect([connections.established, target.connections()]).toEqual([made, made]);
  });

  it("goes over to another language: no request is lost, and no connection used for long after that", async () => {
    const [{ requests }, target] = await measure(
      { onRequest: ({ socket }) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") },
      { requests: 10, timeoutMs: 60 },
    );
    // Node 20 stops reading and does not tell; later versions do.
    expect(requests).toMatchObject({ sent: 10, mismatched: 10 - requests.timedOut });
    expect(target.requests()).toBeLessThanOrEqual(2 * target.connections());
  });

  it("says late how many streams it takes: no more than one is sent before", async () => {
    let [seen, early] = [0, 0];
    const [{ requests }] = await measure(
      {
        onConnection: () => {},
        onRequest: (request) => {
          seen = request.number;
          const speak = (): void => void ([early] = [seen, takesTwo(request.socket)]);
          if (seen === 1) setTimeout(speak, 50);
          setTimeout(greet, 100, request);
        },
      },
      { users: 6, requests: 12 },
    );
    expect(early).toBe(1);
    expect(requests).toMatchObject({ sent: 12, ok: 12 });
  });

  it("answers before the body has come: the rest of it is not sent", async () => {
    const request = { method: "POST", body: "b".repeat(200_000) };
    const [{ requests, bytes, connections }, target] = await measure({ onRequest: greet }, { users: 2, request });
    expect(requests).toMatchObject({ sent: 20, ok: 20 });
    expect(connections.established).toBe(1);
    // The last of each user is told to a server that may be closed by then.
    expect(target.cancelled.length).toBeGreaterThanOrEqual(18);
    expect(new Set(target.cancelled)).toEqual(new Set([CANCEL]));
    // Of all bodies there is no more than the window that the server has opened.
    expect(bytes.sent).toBeLessThan(70_000);
  });

  it("never answers: the streams are cancelled in time, and the connection stays", async () => {
    const [{ requests, connections }, target] = await measure(
      { onRequest: ({ streamId, socket, number }) => void (number > 12 && socket.write(wholeAnswer(streamId))) },
      { users: 4, requests: 60, timeoutMs: 1500 },
    );
    expect(requests).toMatchObject({ sent: 60, ok: 48, timedOut: 12 });
    expect(connections.established).toBe(1);
    expect(target.cancelled).toEqual(Array.from({ length: 12 }, () => CANCEL));
  });

  it("falls silent, and gives no sign of life either: the connection is given up", async () => {
    const silent = new Set<object>();
    const [{ requests, connections }, target] = await measure(
      {
        onRequest: ({ streamId, socket, onConnection }) => {
          if (onConnection <= 3) socket.write(wholeAnswer(streamId));
          else silent.add(socket);
        },
        isAlive: (socket) => !silent.has(socket),
      },
      { requests: 10, timeoutMs: 1500 },
    );
    // On each connection three are answered, one asks for the sign of life, and one waits in vain for that.
    expect(requests).toMatchObject({ sent: 10, ok: 6, timedOut: 4 });
    expect(connections.established).toBe(2);
    expect(target.connections()).toBe(2);
  });

  it("closes connections before it speaks: each request has one of its own to lose", async () => {
    const [{ requests, connections }, target] = await measure(
      { onConnection: (socket) => void socket.end(), onRequest: () => {} },
      { users: 3, requests: 12 },
    );
    expect(requests.dropped + requests.resets).toBe(12);
    expect(connections.established).toBe(target.connections());
    expect(connections.established).toBe(12);
  });
});
