import { autocannonEngine } from "../../src/engines/autocannon/engine.js";
import { grpcEngine } from "../../src/engines/grpc/engine.js";
import { webSocketEngine } from "../../src/engines/websocket/engine.js";
import { wireEngine } from "../../src/engines/wire/engine.js";
import { answer, hang, hangUp, type Action } from "../../src/testing/ground-truth/action.js";
import { startTruthServer, type ReachOptions } from "../../src/testing/ground-truth/truth-server.js";
import { startGrpcTruthServer } from "./grpc-server.js";
import { closeConnection, neverReply, reply, startHttp2Server } from "./http2-server.js";
import type { Sender } from "./measure.js";
import { startWebSocketTruthServer } from "./websocket-server.js";
import type { TruthServer } from "../../src/testing/ground-truth/server-log.js";

/** What is done with a request, in every protocol. */
export interface Deed {
  readonly what: "ok" | "error" | "drop" | "reset" | "hang";
  readonly delay?: Action["delay"];
}

/** Something that sends load by one protocol, and a server of known behaviour that speaks it. Each user has a connection. */
export interface Subject extends Sender {
  readonly name: string;
  readonly scheme: "http" | "grpc" | "ws";
  readonly start: (behave: (number: number) => Deed, reach?: ReachOptions) => Promise<TruthServer>;
  /** Its parser takes answers that RFC 9112 forbids to take. */
  readonly isLenient?: boolean;
}

type Protocol = Pick<Subject, "scheme" | "load" | "start">;

const HTTP1: Protocol = {
  scheme: "http",
  load: {},
  start: (behave, reach) =>
    startTruthServer((number) => {
      const { what, delay = 0 } = behave(number);
      if (what === "hang") return hang();
      if (what === "drop" || what === "reset") return hangUp(what === "drop" ? "fin" : "rst", delay);
      return answer(what === "ok" ? { delay } : { delay, outcome: "non2xx", status: 503 });
    }, reach),
};

const HTTP2: Protocol = {
  scheme: "http",
  load: { httpVersion: "2" },
  start: (behave, reach) =>
    startHttp2Server((number) => {
      const { what, delay = 0 } = behave(number);
      if (what === "hang") return neverReply();
      if (what === "drop" || what === "reset") return { ...closeConnection(what === "drop" ? "fin" : "rst"), delay };
      return reply(what === "ok" ? { delay } : { delay, outcome: "non2xx", status: 503 });
    }, reach),
};

const ENDS = { ok: "OK", error: "UNAVAILABLE", drop: "fin", reset: "rst", hang: "hang" } as const;

const GRPC: Protocol = {
  scheme: "grpc",
  load: { options: { channels: 1000 } },
  start: (behave, reach) =>
    startGrpcTruthServer((number) => {
      const { what, delay = 0 } = behave(number);
      return { end: ENDS[what], delay };
    }, reach),
};

const MESSAGE_ENDS = { ok: "echo", error: "other", drop: "fin", reset: "rst", hang: "hang" } as const;

const WEBSOCKET: Protocol = {
  scheme: "ws",
  // So that each message of a rate has a connection.
  load: { options: { sockets: 400 } },
  start: (behave, reach) =>
    startWebSocketTruthServer((number) => {
      const { what, delay = 0 } = behave(number);
      return { end: MESSAGE_ENDS[what], delay };
    }, reach),
};

/** The engine that is told most of, by HTTP/1.1 unless a load says otherwise. */
export const WIRE: Sender = { engine: wireEngine, load: {} };

/** All that come with lbbench and see every request: a new engine joins by its line, or one for each protocol. */
export const SUBJECTS: readonly Subject[] = [
  { name: "autocannon", engine: autocannonEngine, ...HTTP1, isLenient: true },
  { name: "wire", ...WIRE, ...HTTP1 },
  { name: "wire by HTTP/2", ...WIRE, ...HTTP2 },
  { name: "grpc", engine: grpcEngine, ...GRPC },
  { name: "websocket", engine: webSocketEngine, ...WEBSOCKET },
];

/** Those that speak HTTP/1.1. */
export const HTTP1_SUBJECTS: readonly Subject[] = SUBJECTS.filter(({ start }) => start === HTTP1.start);
