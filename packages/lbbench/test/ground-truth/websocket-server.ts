import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import { WebSocketServer } from "ws";
import type { Action, Outcome } from "../../src/testing/ground-truth/action.js";
import { accept, standUp, trackSockets, type ReachOptions } from "../../src/testing/ground-truth/truth-server.js";
import {
  after,
  createServerLog,
  enterAction,
  enterRequest,
  type ServerLog,
  type TruthServer,
} from "../../src/testing/ground-truth/server-log.js";

/** What the server does with one message. */
export interface MessageAction {
  /** Answers with the message, or with another one; ends the connection, by a close frame where it is a code; or does nothing. */
  readonly end: "echo" | "other" | "fin" | "rst" | "hang" | number;
  readonly delay?: Action["delay"];
  /** Says something else besides, after the answer. */
  readonly more?: string;
}

/** Says what to do with a message; `number` counts from 1 over the whole server. */
export type MessageBehaviour = (number: number) => MessageAction;

/** What the server did, with bytes of connections that are closed. */
export interface MessageLog extends ServerLog {
  /** Upgrades that were asked for. */
  upgrades: number;
  /** Codes by which clients closed, with how many did. */
  readonly closed: Record<number, number>;
  /** The first upgrade, and the first message. */
  first?: { readonly url?: string | undefined; readonly headers: Record<string, unknown> };
  message?: { readonly text: string; readonly isBinary: boolean };
}

/** How the server takes WebSockets. */
export interface UpgradeOptions extends ReachOptions {
  /** The status that an upgrade is answered with, by its number from 1; 101 by default. */
  readonly upgrade?: (number: number) => number;
  /** What it says before it is asked. */
  readonly greeting?: string;
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  echo: "ok",
  other: "mismatched",
  rst: "resets",
  hang: "timedOut",
};

/** Starts a server of the library `ws` that does what it is told with messages, and writes down what it did. */
export async function startWebSocketTruthServer(
  behaviour: MessageBehaviour,
  { identity, upgrade = () => 101, greeting, ...reach }: UpgradeOptions = {},
): Promise<TruthServer<MessageLog>> {
  const log: MessageLog = { ...createServerLog(), upgrades: 0, closed: {} };
  const open = trackSockets();
  const server = identity === undefined ? createServer() : createSecureServer(identity);
  server.on(identity === undefined ? "connection" : "secureConnection", (socket: Socket) => accept(socket, open, log));
  new WebSocketServer({
    server,
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
    verifyClient: ({ req }, done: (isTaken: boolean, status?: number) => void) => {
      log.upgrades += 1;
      log.first ??= { url: req.url, headers: req.headers };
      const status = upgrade(log.upgrades);
      done(status === 101, status);
    },
  }).on("connection", (client, { socket }) => {
    client.on("error", () => {});
    client.on("close", (code) => (log.closed[code] = (log.closed[code] ?? 0) + 1));
    if (greeting !== undefined) client.send(greeting);
    client.on("message", (data, isBinary) => {
      const readAtMs = enterRequest(log);
      log.message ??= { text: String(data as Buffer), isBinary };
      const { end, delay = 0, more } = behaviour(log.requests);
      after(delay, () => {
        if (client.readyState !== client.OPEN) return;
        const answer = end === "echo" ? (data as Buffer) : end === "other" ? Buffer.from("no echo") : undefined;
        const done = { outcome: OUTCOMES[end] ?? "dropped", status: answer === undefined ? null : "OK" };
        enterAction(log, { ...done, bodyBytes: answer?.length ?? 0 }, readAtMs);
        if (answer !== undefined) client.send(answer, { binary: isBinary });
        else if (end === "fin") socket.destroy();
        else if (end === "rst") socket.resetAndDestroy();
        else if (typeof end === "number") client.close(end);
        if (more !== undefined) client.send(more);
      });
    });
  });
  return { log, ...(await standUp(server, "ws", { identity, ...reach }, open)) };
}
