import { setTimeout as sleep } from "node:timers/promises";
import type { Clients, GeneratorLoad } from "../generator.js";
import type { ConnectionCount, LoadRun } from "../load-run.js";
import { enterOpenLoop } from "../open-loop.js";
import {
  enterUsers,
  linePlanOf,
  requestersBy,
  type CreateRequester,
  type Line,
  type OnDone,
  type RequestAccount,
  type RequestFailure,
} from "../requester.js";
import {
  ANSWERED,
  MessageConnection,
  type ConnectionHolder,
  type MessageOwner,
  type WebSocketPlan,
} from "./connection.js";
import type { WebSocketOptions } from "./engine.js";
import { readHandshake, readMessage } from "./handshake.js";

/** Builds what sends a load: users with a WebSocket each, or the messages of a rate over some that are open. */
export async function webSocketClients(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  const { level, url, request, keepAlive, timeoutMs } = load;
  const plan = { ...linePlanOf(load), ...readHandshake(url, request), ...readMessage(request) };
  if (level.rate === undefined) return enterUsers(run, load, requestersOver(run, plan));
  if (!keepAlive) return enterOpenLoop(run, load, requestersOver(run, plan), (requester) => requester);
  // As the engine has read them.
  const { sockets } = load.options as WebSocketOptions;
  const kept = Array.from({ length: sockets }, () => new KeptSocket(run, plan));
  await openAll(kept, timeoutMs);
  let turn = 0;
  const next = (): KeptSocket => kept[turn++ % sockets] as KeptSocket;
  const clients = await enterOpenLoop(run, load, requestersOver(run, plan, next), () => 0);
  return {
    stop: async () => {
      await clients.stop();
      await Promise.all(kept.map((socket) => socket.close()));
    },
  };
}

/** WebSockets that are being opened at a time: more would overrun the queue of a server. */
const OPENING = 64;

/** Opens all. Resolves when each is open or has failed, at the latest after so many ms. Messages open the missing ones. */
async function openAll(sockets: readonly KeptSocket[], limitMs: number): Promise<void> {
  const left = sockets.values();
  const over = new AbortController();
  const openSome = async (): Promise<void> => {
    for (const socket of left) {
      if (over.signal.aborted) return;
      await socket.open();
    }
  };
  const all = Promise.all(Array.from({ length: OPENING }, openSome));
  const { signal } = over;
  await Promise.race([all, sleep(limitMs, undefined, { signal }).catch(() => {})]);
  over.abort();
}

/** Returns a function that creates requesters: each with a WebSocket of its own, or sending each message over the next one. */
function requestersOver(run: LoadRun, plan: WebSocketPlan, next?: () => KeptSocket): CreateRequester {
  return requestersBy(run, plan, (account, onDone) => new WebSocketLine(run, account, onDone, plan, next));
}

/** One WebSocket at a time: opened by the first message or before, and again by the first message after it was lost. */
class KeptSocket implements ConnectionHolder {
  readonly #run: LoadRun;
  readonly #plan: WebSocketPlan;
  readonly #connections: ConnectionCount;
  #current: MessageConnection | undefined;
  /** All that are not closed yet. */
  readonly #open = new Set<MessageConnection>();

  constructor(run: LoadRun, plan: WebSocketPlan) {
    this.#run = run;
    this.#plan = plan;
    this.#connections = run.countConnections();
  }

  /** Resolves when it is open, or could not be opened. */
  open(): Promise<void> {
    return this.#usable().settled;
  }

  /** Sends a message; returns what it leaves by. */
  give(owner: MessageOwner): MessageConnection {
    const connection = this.#usable();
    connection.give(owner);
    return connection;
  }

  /** Closes the WebSocket of now, so that the next message opens another one. */
  drop(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.#connections.closed();
    void current.close();
  }

  /** Resolves when all is closed. */
  async close(): Promise<void> {
    this.drop();
    await Promise.all([...this.#open].map(({ gone }) => gone));
  }

  onConnected(): void {
    this.#connections.established();
  }

  onLost(connection: MessageConnection, connected: boolean, code: string | undefined): void {
    if (connection === this.#current) this.#current = undefined;
    if (connected) this.#connections.closed();
    else this.#connections.failed(code);
  }

  #usable(): MessageConnection {
    if (this.#current?.isUsable === true) return this.#current;
    const connection = new MessageConnection(this.#run, this.#plan, this);
    this.#current = connection;
    this.#open.add(connection);
    void connection.gone.then(() => this.#open.delete(connection));
    return connection;
  }
}

/** Sends the messages of one requester, and enters the outcome of each. */
class WebSocketLine implements Line, MessageOwner {
  readonly #account: RequestAccount;
  readonly #onDone: OnDone;
  readonly #keepAlive: boolean;
  /** Its own, if it has one. */
  readonly #own: KeptSocket | undefined;
  readonly #next: () => KeptSocket;
  #by: MessageConnection | undefined;
  sentIn = 0;

  constructor(
    run: LoadRun,
    account: RequestAccount,
    onDone: OnDone,
    plan: WebSocketPlan,
    next: (() => KeptSocket) | undefined,
  ) {
    this.#account = account;
    this.#onDone = onDone;
    this.#keepAlive = plan.requestsPerConnection > 1;
    const own = next === undefined ? new KeptSocket(run, plan) : undefined;
    this.#own = own;
    this.#next = next ?? (() => own as KeptSocket);
  }

  send(): void {
    this.#by = this.#next().give(this);
  }

  giveUp(): void {
    this.#by?.fail({ kind: "timedOut" });
  }

  async close(): Promise<void> {
    await this.#own?.close();
  }

  onSent(waited: boolean): void {
    if (waited) this.#account.waited(this.#account.goneMs() * 1000);
    this.#account.written();
  }

  onAnswer(nowUs: number): void {
    // The message of a run that was cut has no outcome.
    if (!this.#account.isOpen) return;
    this.#account.startsAnswer(nowUs);
    this.#account.settleOk(ANSWERED, nowUs);
    if (!this.#keepAlive) this.#own?.drop();
    this.#onDone(true);
  }

  onFailed(failure: RequestFailure, connected: boolean, isOpened: boolean): void {
    if (!this.#account.isOpen) return;
    this.#account.settleFailure(failure, connected);
    // The connection may still be busy with what was read. An upgrade that is refused is not asked for again in a hot loop.
    queueMicrotask(() => this.#onDone(isOpened));
  }
}
