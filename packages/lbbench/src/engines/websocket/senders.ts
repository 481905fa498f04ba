import { setTimeout as sleep } from "node:timers/promises";
import type { LoadRun } from "../load-run.js";
import {
  linePlanOf,
  requestersBy,
  type CreateRequester,
  type Line,
  type OnDone,
  type PrepareSenders,
  type RequestAccount,
  type RequestFailure,
} from "../requester.js";
import { ANSWERED, KeptSocket, type MessageConnection, type MessageOwner, type WebSocketPlan } from "./connection.js";
import type { WebSocketOptions } from "./engine.js";
import { readHandshake, readMessage } from "./handshake.js";

/** Requesters with a WebSocket each, or the messages of a rate over some that are open. */
export const webSocketSenders: PrepareSenders = (load) => {
  const { level, url, request, keepAlive, timeoutMs } = load;
  const plan = { ...linePlanOf(load), ...readHandshake(url, request), ...readMessage(request) };
  if (level.rate === undefined || !keepAlive) return { requestersFor: async (run) => requestersOver(run, plan) };
  // As the engine has read them.
  const { sockets } = load.options as WebSocketOptions;
  const kept: KeptSocket[] = [];
  let turn = 0;
  const next = (): KeptSocket => kept[turn++ % sockets] as KeptSocket;
  return {
    requestersFor: async (run) => {
      kept.push(...Array.from({ length: sockets }, () => new KeptSocket(run, plan)));
      await openAll(kept, timeoutMs);
      return requestersOver(run, plan, next);
    },
    connectionOf: () => 0,
    close: async () => void (await Promise.all(kept.map((socket) => socket.close()))),
  };
};

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
  return requestersBy(run, plan, (account, onDone) => {
    return new WebSocketLine(account, onDone, next ?? new KeptSocket(run, plan));
  });
}

/** Sends the messages of one requester, and enters the outcome of each. */
class WebSocketLine implements Line, MessageOwner {
  readonly #account: RequestAccount;
  readonly #onDone: OnDone;
  /** Its own, if it has one. */
  readonly #own: KeptSocket | undefined;
  readonly #next: () => KeptSocket;
  #by: MessageConnection | undefined;
  sentIn = 0;

  constructor(account: RequestAccount, onDone: OnDone, socket: KeptSocket | (() => KeptSocket)) {
    this.#account = account;
    this.#onDone = onDone;
    this.#own = socket instanceof KeptSocket ? socket : undefined;
    this.#next = socket instanceof KeptSocket ? () => socket : socket;
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
    this.#own?.answered();
    this.#onDone(true);
  }

  onFailed(failure: RequestFailure, connected: boolean, isOpened: boolean): void {
    if (!this.#account.isOpen) return;
    this.#account.settleFailure(failure, connected);
    // The connection may still be busy with what was read. An upgrade that is refused is not asked for again in a hot loop.
    queueMicrotask(() => this.#onDone(isOpened));
  }
}
