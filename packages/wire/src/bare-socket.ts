import { once } from "node:events";
import { connect, createServer, isIPv6, type AddressInfo, type Socket } from "node:net";
import { type ConnectionSocket, expectThat, SELF_TEST_LIMIT_MS, systemError } from "./connection.js";

/** What the handle of a TCP connection offers; numbers that are returned are 0 or the code of an error. */
interface TcpHandle {
  reading: boolean;
  onread: unknown;
  readonly connect: (request: ConnectRequest, address: string, port: number) => number;
  readonly connect6: (request: ConnectRequest, address: string, port: number) => number;
  readonly getpeername: (into: { address?: string }) => number;
  readonly setNoDelay: (isOn: boolean) => number;
  readonly readStart: () => number;
  readonly reset: (onClosed?: () => void) => number;
  readonly close: (onClosed?: () => void) => void;
}

interface ConnectRequest {
  oncomplete: (status: number) => void;
}

/** What a socket has inside that is not told. */
type Inside = Record<symbol, unknown> & { readonly _handle: TcpHandle & Record<symbol, unknown> };

/** How this process makes TCP connections without streams. */
type Parts = Awaited<ReturnType<typeof readParts>>;

/** A TCP connection of a client, and not one of a server. */
const CLIENT = 0;
const NEVER_ENDED = { endEmitted: false };

type Event = "connect" | "end" | "error" | "close" | "data";

/**
 * Connects to an address (not a name) by TCP, without delay of small packets. What comes back has no stream: making and closing it takes half of
 * the processor time. It is read and written by a `Connection` with direct access alone, and cannot be ended on one side: `end` closes it.
 */
export type ConnectBare = (
  to: { readonly host: string; readonly port: number },
  onConnect: () => void,
) => ConnectionSocket;

let found: Promise<ConnectBare | undefined> | undefined;

/**
 * Finds out how this process makes bare connections; it tries that once, on a connection to itself over 127.0.0.1. `undefined` if
 * anything is not as expected: then sockets of `node:net` are to be used. Never rejects.
 */
export function findBareConnect(): Promise<ConnectBare | undefined> {
  return (found ??= tryBareConnect().catch(() => undefined));
}

/** Acts as the socket towards its handle, and towards a `Connection`. */
class BareSocket implements ConnectionSocket {
  connecting = true;
  destroyed = false;
  /** It is attached to before it is read. */
  readonly readableEnded = false;
  readonly writableEnded = false;
  readonly writableLength = 0;
  readonly errored = null;
  readonly _readableState = NEVER_ENDED;
  readonly _handle: TcpHandle;
  readonly #listeners: Partial<Record<Event, (told?: never) => void>> = {};

  /** `host`: an address. */
  constructor(parts: Parts, host: string, port: number) {
    const { Handle, Request, onread, ownerKey, memoryKey, nextMemoryKey, timerKey } = parts;
    const handle = new Handle(CLIENT);
    this._handle = handle;
    Object.assign(this, { [memoryKey]: null, [nextMemoryKey]: null, [timerKey]: nothing });
    handle[ownerKey] = this;
    handle.onread = onread;
    const request = new Request();
    request.oncomplete = (status) => this.#onConnect(status);
    const code = isIPv6(host) ? handle.connect6(request, host, port) : handle.connect(request, host, port);
    if (code !== 0) this.destroy(systemError(code, "connect"));
  }

  get remoteAddress(): string | undefined {
    const into: { address?: string } = {};
    return this._handle.getpeername(into) === 0 ? into.address : undefined;
  }

  on(event: Event, listener: (told: never) => void): this {
    this.#listeners[event] = listener as (told?: never) => void;
    return this;
  }

  off(event: Event): this {
    delete this.#listeners[event];
    return this;
  }

  get writableFinished(): boolean {
    return this.destroyed;
  }

  /** Is written to by its handle alone. */
  write(): boolean {
    this.destroy(new Error("A bare connection was written to as if it were a stream."));
    return false;
  }

  cork(): void {}

  uncork(): void {}

  pause(): this {
    return this;
  }

  /** Nothing is read ahead. */
  read(): null {
    return null;
  }

  resume(): this {
    if (this.destroyed || this._handle.reading) return this;
    this._handle.reading = true;
    const code = this._handle.readStart();
    if (code !== 0) this.destroy(systemError(code, "read"));
    return this;
  }

  /** What the handle tells when the other side has ended. */
  push(): boolean {
    this.#listeners.end?.();
    return false;
  }

  end(): this {
    return this.destroy();
  }

  destroySoon(): void {
    this.destroy();
  }

  destroy(error?: Error): this {
    return this.#close(error, (handle) => handle.close());
  }

  resetAndDestroy(): this {
    return this.#close(undefined, (handle) => {
      if (handle.reset() !== 0) handle.close();
    });
  }

  #close(error: Error | undefined, close: (handle: TcpHandle) => void): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    close(this._handle);
    // No listener is called from within the call.
    process.nextTick(() => {
      if (error !== undefined) this.#listeners.error?.(error as never);
      this.#listeners.close?.();
    });
    return this;
  }

  #onConnect(status: number): void {
    this.connecting = false;
    if (status !== 0) return void this.destroy(systemError(status, "connect"));
    this._handle.setNoDelay(true);
    this.#listeners.connect?.();
  }
}

function nothing(): void {}

/** Rejects with an error that says what was expected. */
async function tryBareConnect(): Promise<ConnectBare> {
  const server = createServer((socket) => void socket.on("error", nothing).end("answer"));
  const signal = AbortSignal.timeout(SELF_TEST_LIMIT_MS);
  const opened: { destroy: () => unknown }[] = [];
  try {
    await once(server.listen({ port: 0, host: "127.0.0.1", exclusive: true }), "listening", { signal });
    const to = { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
    const usual = connect({ ...to, onread: { buffer: Buffer.alloc(8), callback: () => true } });
    opened.push(usual.on("error", nothing));
    const parts = await readParts(usual);
    const connectBare: ConnectBare = ({ host, port }, onConnect) =>
      new BareSocket(parts, host, port).on("connect", onConnect);
    const callbackKey = symbolOf(usual, "kBufferCb");
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      const memory = Buffer.alloc(64);
      let text = "";
      const bare = connectBare(to, () => {
        const onPiece = (size: number): boolean => {
          text += memory.toString("latin1", 0, size);
          return true;
        };
        Object.assign(bare, { [parts.memoryKey]: memory, [callbackKey]: onPiece });
        (bare as unknown as { _handle: { useUserBuffer: (into: Buffer) => void } })._handle.useUserBuffer(memory);
        bare.resume();
      });
      opened.push(bare);
      bare.on("error", reject);
      bare.on("end", () => void bare.destroy());
      bare.on("close", () => {
        if (text === "answer") resolve();
        else reject(new Error("A bare connection did not read what was sent."));
      });
    });
    return connectBare;
  } finally {
    for (const one of opened) one.destroy();
    server.close();
  }
}

/** Looks at a socket that is about to connect. */
async function readParts(socket: Socket) {
  const { _handle: handle } = socket as unknown as Inside;
  const own = handle as { connect: TcpHandle["connect"] };
  let request: ConnectRequest | undefined;
  own.connect = (...args) => {
    Reflect.deleteProperty(own, "connect");
    [request] = args;
    return own.connect(...args);
  };
  await once(socket, "connect");
  const ownerKey = Object.getOwnPropertySymbols(handle).find((key) => handle[key] === socket);
  expectThat(request !== undefined && ownerKey !== undefined, "connect by its handle");
  return {
    Handle: handle.constructor as new (kind: number) => Inside["_handle"],
    Request: request.constructor as new () => ConnectRequest,
    /** What handles call for what they have read. */
    onread: handle.onread,
    /** Where a handle keeps what it reads for, and that what it reads with. */
    ownerKey,
    memoryKey: symbolOf(socket, "kBuffer"),
    nextMemoryKey: symbolOf(socket, "kBufferGen"),
    timerKey: symbolOf(socket, "kUpdateTimer"),
  };
}

/** The symbol of that name of a socket or of what it inherits from. */
function symbolOf(socket: Socket, name: string): symbol {
  for (let one: object | null = socket; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const key = Object.getOwnPropertySymbols(one).find(({ description }) => description === name);
    if (key !== undefined) return key;
  }
  throw new Error(`A socket has no ${name}.`);
}
