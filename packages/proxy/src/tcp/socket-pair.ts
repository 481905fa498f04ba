import { readInto, resetSocket } from "./sockets.js";
import type { OnReadOpts, Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** How a relayed connection ended, and what went wrong if it did not end in order. */
export interface RelayEnd {
  readonly outcome: "answered" | "failed" | "aborted";
  readonly error?: string;
}

/** What a pair needs to know from outside. */
interface PairOptions {
  /** How long no byte may come from either side, in ms. */
  readonly idleMs: number;
  /** Ends the client's connection at once, with a reset if there is a way. */
  readonly resetClient: (client: Socket) => void;
}

type Sender = "nobody" | "client" | "backend";

/** What is read from a backend at a time: as much as Node itself would read. */
const BACKEND_READ_BYTES = 65_536;

const NOTHING = Buffer.alloc(0);

/** What is read from a client at a time: requests are mostly small, and there may be many clients. */
const CLIENT_READ_BYTES = 16_384;

/**
 * The connections of a client and a backend, joined: bytes, ends and resets of one become those of the other. A side
 * that reads slowly makes the other one wait.
 */
export class SocketPair implements Sweepable {
  readonly #client: Socket;
  readonly #options: PairOptions;
  #onread: OnReadOpts | undefined;
  #backend: Socket | undefined;
  #done: ((end: RelayEnd) => void) | undefined;
  #end: RelayEnd | undefined;
  #closed = 0;
  /** Who sent since the last sweep: the clock is read by the sweep, not for each chunk. */
  #sender: Sender = "nobody";
  /** Who sent before that. */
  #lastSender: Sender = "nobody";
  #activeAtMs = 0;

  constructor(client: Socket, options: PairOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** How the backend's connection is to be read; for the socket that is joined later. */
  get onread(): OnReadOpts {
    const client = this.#client;
    return (this.#onread ??= relayInto(
      client,
      BACKEND_READ_BYTES,
      () => this.#backend,
      () => (this.#sender = "backend"),
    ));
  }

  /** Starts to relay. `done` is called once, when both connections are closed. */
  join(backend: Socket, done: (end: RelayEnd) => void): void {
    const client = this.#client;
    this.#backend = backend;
    this.#done = done;
    this.#activeAtMs = performance.now();
    this.#readClient(client, backend);
    passEnd(client, backend);
    passEnd(backend, client);
    client.on("error", (error) => this.#break("aborted", `The client's connection broke: ${error.message}`));
    backend.on("error", (error) => this.#break("failed", `The backend's connection broke: ${error.message}`));
    client.on("close", () => this.#onClose(client));
    backend.on("close", () => this.#onClose(backend));
  }

  /** Breaks both connections when nothing has been sent for too long. */
  sweep(nowMs: number): void {
    if (this.#sender !== "nobody") {
      this.#lastSender = this.#sender;
      this.#sender = "nobody";
      this.#activeAtMs = nowMs;
    }
    const { idleMs } = this.#options;
    if (nowMs - this.#activeAtMs < idleMs) return;
    const error = `No byte came from either side for ${idleMs} ms`;
    // Whoever was to say something next is the one who went silent.
    if (this.#lastSender === "client") this.#break("failed", `${error}; the client had sent last.`);
    else this.#break("aborted", `${error}; the client had not sent since.`);
  }

  #readClient(client: Socket, backend: Socket): void {
    const early = client.read() as Buffer | null;
    const onread = relayInto(
      backend,
      CLIENT_READ_BYTES,
      () => client,
      () => (this.#sender = "client"),
    );
    if (!(client instanceof TLSSocket) && readInto(client, onread)) {
      if (early !== null) {
        this.#sender = "client";
        backend.write(early);
      }
      // A side that has ended already says so only when it is read.
      client.resume();
      return;
    }
    if (early !== null) client.unshift(early);
    client.on("data", (chunk: Buffer) => {
      this.#sender = "client";
      if (!backend.write(chunk) && backend.writableLength > 0) client.pause();
    });
    backend.on("drain", () => client.resume());
  }

  #onClose(socket: Socket): void {
    if (this.#end === undefined && !(socket.readableEnded && socket.writableFinished)) {
      if (socket === this.#client) this.#break("aborted", "The client's connection was closed.");
      else this.#break("failed", "The backend's connection was closed.");
    }
    this.#closed += 1;
    if (this.#closed === 2) this.#done?.(this.#end ?? { outcome: "answered" });
  }

  /** Ends both connections at once; what went wrong first is how the relay ended. */
  #break(outcome: RelayEnd["outcome"], error: string): void {
    const first = this.#end === undefined;
    this.#end ??= { outcome, error };
    const backend = this.#backend;
    // A backend may answer, end, and refuse what the client still sends: a reset could take the answer from the client.
    // It is given the answer unless it is slower than the idle time allows.
    if (first && backend?.readableEnded === true && backend.errored !== null) this.#client.destroySoon();
    else this.#options.resetClient(this.#client);
    if (backend !== undefined) resetSocket(backend);
  }
}

/**
 * Reads one side without new memory for each piece, and writes what came to the other. The next piece is read into the
 * same memory, so it has to wait until the last one has been written, which is at once unless that side reads slowly.
 */
function relayInto(to: Socket, bytes: number, from: () => Socket | undefined, onPiece: () => void): OnReadOpts {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  let isWaiting = false;
  const onWritten = (): void => {
    if (!isWaiting || to.writableLength > 0) return;
    isWaiting = false;
    from()?.resume();
  };
  const callback = (size: number): boolean => {
    onPiece();
    to.write(buffer.subarray(0, size));
    if (to.writableLength === 0) return true;
    // Only now, because a callback costs a turn of the event loop's queue, also for what has been written at once.
    isWaiting = true;
    to.write(NOTHING, onWritten);
    return false;
  };
  return { buffer, callback };
}

function passEnd(from: Socket, to: Socket): void {
  if (from.readableEnded) to.end();
  else from.once("end", () => to.end());
}

/** Something that can be idle. */
interface Sweepable {
  /** Is told what time it is; ends itself if nothing has happened for too long. */
  readonly sweep: (nowMs: number) => void;
}

/** How often everything is looked at, at the least often; shorter times are kept four times as exactly as they are long. */
const LONGEST_INTERVAL_MS = 1000;

/**
 * Looks at everything in it again and again, with one timer that there is only while there is something to look at, and
 * that keeps no process alive. What has been idle for `idleMs` is found a quarter of that later at most, or a second.
 */
export class IdleSweep {
  readonly idleMs: number;
  readonly #members = new Set<Sweepable>();
  #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number) {
    this.idleMs = idleMs;
  }

  add(member: Sweepable): void {
    this.#members.add(member);
    if (this.#timer !== undefined || this.idleMs === Infinity) return;
    const intervalMs = Math.min(Math.ceil(this.idleMs / 4), LONGEST_INTERVAL_MS);
    this.#timer = setInterval(() => this.#sweep(), intervalMs).unref();
  }

  delete(member: Sweepable): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const member of this.#members) member.sweep(nowMs);
  }
}
