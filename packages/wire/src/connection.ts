import { once } from "node:events";
import { connect, createServer, Socket, type AddressInfo, type Server } from "node:net";
import { TLSSocket } from "node:tls";
import { getSystemErrorName } from "node:util";

/** What the handle under a socket offers, beyond what its socket shows; writes return 0 or the code of an error. */
interface Handle {
  readonly reading: boolean;
  readonly useUserBuffer: (memory: Buffer) => void;
  readonly writeLatin1String: (request: WriteRequest, text: string) => number;
  readonly writeBuffer: (request: WriteRequest, bytes: Buffer) => number;
  readonly writev: (request: WriteRequest, pieces: readonly Buffer[], areBuffers: boolean) => number;
}

/**
 * Stands for a write that the kernel did not take whole at once. As long as there is none it is free for the next write;
 * Node aborts when one is used that is not. Only the request itself tells for certain: what the handle has in its queue
 * may be sent in the meantime, and then the request is still not free.
 */
interface WriteRequest {
  /** -1 as long as it is free. */
  readonly getAsyncId: () => number;
  oncomplete?: (status: number) => void;
  /** What is written from: nothing else may keep it from being collected. */
  bytes?: Written;
}

type Written = Buffer | readonly Buffer[] | undefined;

/** What a socket has inside when it is made with the option `onread`. */
interface SocketInside {
  [key: symbol]: unknown;
  readonly _handle?: Handle | null;
  /** The plain socket under a TLS socket that a server has accepted. */
  readonly _parent?: unknown;
}

/** What a `Connection` asks of its socket: one of `node:net` or `node:tls` has it, and a bare one. */
export interface ConnectionSocket {
  readonly remoteAddress?: string | undefined;
  readonly connecting: boolean;
  readonly destroyed: boolean;
  readonly errored: Error | null;
  readonly readableEnded: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly writableLength: number;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close" | "end", listener: () => void): unknown;
  on(event: "data", listener: (piece: Buffer) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  off(event: "close" | "end", listener: () => void): unknown;
  off(event: "data", listener: (piece: Buffer) => void): unknown;
  read(): Buffer | null;
  pause(): unknown;
  resume(): unknown;
  write(piece: string | Buffer, encoding: "latin1"): unknown;
  write(piece: Buffer, onWritten: () => void): unknown;
  cork(): void;
  uncork(): void;
  end(): unknown;
  destroySoon(): void;
  destroy(): unknown;
  resetAndDestroy(): unknown;
}

/** Bytes of memory to read a connection into: as much as Node itself would read at a time. */
export const READ_BYTES = 65_536;

const NOTHING = Buffer.alloc(0);

/** What `findDirectAccess` has found, for each `Connection` of this process. Its members are for them alone. */
export class DirectAccess {
  /** Where sockets keep the memory that is read into. */
  readonly memoryKey: symbol;
  /** Where sockets keep what is called for each piece. */
  readonly callbackKey: symbol;
  readonly #Request: new () => WriteRequest;
  /** For the next write. */
  spare: WriteRequest;

  constructor(memoryKey: symbol, callbackKey: symbol, Request: new () => WriteRequest) {
    this.memoryKey = memoryKey;
    this.callbackKey = callbackKey;
    this.#Request = Request;
    this.spare = new Request();
  }

  /**
   * The handle of a socket; `undefined` if it is of another kind, or if writes of the socket are still under way. `memory`: what a
   * connection that has given the socket away has had it read into.
   */
  handleOf(socket: ConnectionSocket, memory?: Buffer): Handle | undefined {
    const inside = socket as unknown as SocketInside;
    if (socket instanceof TLSSocket || socket.connecting || socket.destroyed || socket.writableLength > 0)
      return undefined;
    const before = inside[this.memoryKey];
    if (before !== null && before !== memory) return undefined;
    if (typeof inside._handle?.useUserBuffer !== "function") return undefined;
    return inside._handle;
  }

  /** Has the next write use a request of its own. */
  renew(): void {
    this.spare = new this.#Request();
  }

  /** The spare request stands for a write that goes on now; it keeps the bytes that are written from. */
  hold(bytes: Written, oncomplete: (status: number) => void): void {
    this.spare.bytes = bytes;
    this.spare.oncomplete = oncomplete;
    this.renew();
  }
}

/**
 * One end of a connection that is there. It reads into memory that is there, and writes straight to the handle of its
 * socket. Where that is not to be had, under TLS or without `access`, the same goes through the socket's public
 * interface.
 *
 * Nothing here keeps time, and nothing is told from within a call that writes, ends or closes. The socket's own
 * `bytesWritten` does not count what is written here.
 */
export abstract class Connection<Underlying extends ConnectionSocket = Socket> {
  readonly socket: Underlying;
  /**
   * The kernel has not taken all that was written. Until `onDrained`, the written memory must not be changed, and only small
   * texts may be written.
   */
  blocked = false;
  /** It was destroyed, or broke: writes are dropped, and only `onClosed` is still called. */
  closed = false;
  /** A write has failed: more writes are dropped. Earlier bytes of the other side may still come. */
  broken = false;
  /** The other side has ended: it sends nothing more, and may still read. */
  ended = false;
  readonly #access: DirectAccess | undefined;
  /** `undefined`: everything goes through the socket. */
  #handle: Handle | undefined;
  #error: Error | undefined;
  /** What is read into, if it is read directly. */
  #memory: Buffer | undefined;
  #piece: Buffer = NOTHING;
  #pieceFrom = 0;
  /** Writes to the handle that the kernel has not taken. */
  #underWay = 0;
  #onWritten: ((status: number) => void) | undefined;
  #onPassed: (() => void) | undefined;
  readonly #onSocketError = (error: Error): void => {
    this.#error ??= error;
    this.#close();
  };
  readonly #onSocketClose = (): void => {
    this.#close();
    this.onClosed(this.#error);
  };
  readonly #onSocketEnd = (): void => this.#tellEnd();
  #onSocketData: ((piece: Buffer) => void) | undefined;

  /**
   * Takes over a socket, with all of its events; it may still be connecting. It has to be made with `allowHalfOpen: true`.
   * `access`: what `findDirectAccess` has found; `undefined` uses the public interface of the socket.
   */
  constructor(socket: Underlying, access: DirectAccess | undefined) {
    this.socket = socket;
    this.#access = access;
    socket.on("error", this.#onSocketError);
    socket.on("close", this.#onSocketClose);
  }

  /**
   * Starts to read a socket that is connected. `memory` is what is read into, mostly of `READ_BYTES`: one memory serves
   * all connections whose `onBytes` copies what it keeps. It is left alone where the socket's public interface is used,
   * whose pieces come in memory of their own. Bytes that have come before are told from within this call.
   */
  attach(memory: Buffer): void {
    const { socket } = this;
    const access = this.#access;
    // It may have been read to its end before.
    if (socket.readableEnded) process.nextTick(() => this.#tellEnd());
    else socket.on("end", this.#onSocketEnd);
    const handle = access?.handleOf(socket, memory);
    if (access === undefined || handle === undefined) {
      this.#onSocketData = (piece) => {
        if (!this.closed && !this.onBytes(piece, 0, piece.length)) socket.pause();
      };
      socket.on("data", this.#onSocketData);
      return;
    }
    this.#handle = handle;
    this.#memory = memory;
    const inside = socket as unknown as SocketInside;
    inside[access.callbackKey] = (size: number): boolean => this.onBytes(memory, 0, size);
    if (inside[access.memoryKey] !== memory) {
      inside[access.memoryKey] = memory;
      handle.useUserBuffer(memory);
    }
    const early = socket.read();
    socket.resume();
    if (early !== null && !this.onBytes(early, 0, early.length)) socket.pause();
  }

  /**
   * Something has come: `bytes` from `start` to `end`. Their memory is used again once this returns. False stops the
   * reading until `resume`, and the memory stays as it is until then, unless other connections share it.
   */
  protected abstract onBytes(bytes: Buffer, start: number, end: number): boolean;

  /** The other side has ended. This side goes on until it ends, too. */
  protected abstract onEnd(): void;

  /** The kernel has taken all that was written, after `blocked`. */
  protected abstract onDrained(): void;

  /** Called once, and last of all, whichever side closed the connection; with the error that broke it. */
  protected abstract onClosed(error: Error | undefined): void;

  /** Writes a text of latin1 characters, which is copied if the kernel does not take it at once. Returns as `writeBytes`. */
  writeText(latin1: string): boolean {
    const handle = this.#handle;
    const access = this.#access;
    if (handle === undefined || access === undefined) return this.#pass([latin1]);
    return this.#sent(access, handle.writeLatin1String(access.spare, latin1), undefined);
  }

  /**
   * Writes bytes. True: they are with the kernel, and their memory is free. False: it is `blocked` until `onDrained`. A
   * connection that is closed drops them and returns true.
   */
  writeBytes(bytes: Buffer): boolean {
    const handle = this.#handle;
    const access = this.#access;
    if (handle === undefined || access === undefined) return this.#pass([bytes]);
    return this.#sent(access, handle.writeBuffer(access.spare, bytes), bytes);
  }

  /** Writes pieces one behind the other, in one call of the system. Returns as `writeBytes`. */
  writeAll(pieces: readonly Buffer[]): boolean {
    const handle = this.#handle;
    const access = this.#access;
    if (handle === undefined || access === undefined) return this.#pass(pieces);
    return this.#sent(access, handle.writev(access.spare, pieces, true), pieces);
  }

  /** A view on what has come; mostly the same one as the last time, since much of one length comes into the same memory. */
  protected pieceOf(bytes: Buffer, from: number, to: number): Buffer {
    // A piece of the socket's own is not to be kept longer than it is needed.
    if (bytes !== this.#memory) return bytes.subarray(from, to);
    if (this.#pieceFrom !== from || this.#piece.length !== to - from) {
      this.#piece = bytes.subarray(from, to);
      this.#pieceFrom = from;
    }
    return this.#piece;
  }

  /** Goes on reading after `onBytes` has returned false. */
  resume(): void {
    this.socket.resume();
  }

  /** Ends this side behind all that was written; nothing may be written afterwards. */
  end(): void {
    this.socket.end();
  }

  /** Ends this side behind all that was written, and then closes the connection. */
  destroySoon(): void {
    this.socket.destroySoon();
  }

  /** Closes the connection now; what the kernel has not taken is lost. */
  destroy(): void {
    this.#close();
    this.socket.destroy();
  }

  /** Closes the connection now, with a reset where its kind has one: a TCP connection, plain or under a server's TLS. */
  reset(): void {
    this.#close();
    const { _parent: below } = this.socket as unknown as SocketInside;
    resetSocket(below instanceof Socket ? below : this.socket);
  }

  /**
   * Gives the socket away, from within `onBytes`, to a connection that is made and attached before that returns, with the
   * same memory. Nothing may have been written. This connection is `closed`, and is told nothing any more, not even that.
   */
  protected handOver(): void {
    const { socket } = this;
    socket.off("error", this.#onSocketError);
    socket.off("close", this.#onSocketClose);
    socket.off("end", this.#onSocketEnd);
    if (this.#onSocketData !== undefined) socket.off("data", this.#onSocketData);
    this.#close();
  }

  #close(): void {
    this.closed = true;
    this.#handle = undefined;
  }

  #tellEnd(): void {
    if (this.closed) return;
    if (this.broken) return this.destroy();
    this.ended = true;
    this.onEnd();
  }

  /** What has become of a write to the handle. */
  #sent(access: DirectAccess, code: number, bytes: Written): boolean {
    if (code !== 0) {
      this.#fail(code);
      return true;
    }
    if (access.spare.getAsyncId() === -1) return !this.blocked;
    this.#wait(access, bytes);
    return false;
  }

  /** Apart from `#sent`, as each call of what has a function within makes an object for it. */
  #wait(access: DirectAccess, bytes: Written): void {
    this.#underWay += 1;
    access.hold(bytes, (this.#onWritten ??= (status) => this.#onRequestDone(status)));
    this.blocked = true;
  }

  /** A write has ended that the kernel had not taken at once. There may be others behind it. */
  #onRequestDone(status: number): void {
    this.#underWay -= 1;
    // Destroying a socket cancels its writes. The other side is not at fault.
    if (status < 0 && !this.socket.destroyed) this.#fail(status);
    if (this.closed || this.broken || this.#underWay > 0) return;
    this.blocked = false;
    this.onDrained();
  }

  /** Writes through the socket; texts are of latin1 characters. */
  #pass(pieces: readonly (string | Buffer)[]): boolean {
    const { socket } = this;
    if (this.closed || this.broken) return true;
    if (pieces.length > 1) socket.cork();
    for (const piece of pieces) socket.write(piece, "latin1");
    if (pieces.length > 1) socket.uncork();
    // It tells of that later.
    this.broken = socket.errored !== null;
    if (socket.writableLength === 0) return !this.blocked;
    if (!this.blocked) this.#awaitPassed();
    return false;
  }

  /** Waits until the socket has nothing left to write; `drain` tells that only of much. */
  #awaitPassed(): void {
    this.blocked = true;
    this.#onPassed ??= () => {
      if (this.closed) return;
      if (this.socket.writableLength > 0) return this.#awaitPassed();
      this.blocked = false;
      this.onDrained();
    };
    this.socket.write(NOTHING, this.#onPassed);
  }

  /**
   * Closes a connection that broke as it was written to, but not within the call that wrote. What the other side had
   * said before may be an answer: it is read first, if it is being read.
   */
  #fail(code: number): void {
    if (this.closed || this.broken) return;
    this.broken = true;
    const isBeingRead = this.#handle?.reading === true && !this.ended && !this.socket.writableEnded;
    this.#error = systemError(code, "write");
    this.#handle = undefined;
    if (!isBeingRead) this.destroy();
  }
}

/** Ends a connection at once, with a reset where its kind has one; a Unix socket is just closed. Never throws. */
export function resetSocket(socket: ConnectionSocket): void {
  if (socket.destroyed) return;
  try {
    // A connection that is still being made would be completed first, only to be reset. One that is being ended cannot be
    // reset, and Node would never say that it is closed.
    const isEnding = socket.writableEnded && !socket.writableFinished;
    if (socket.connecting || isEnding) socket.destroy();
    else socket.resetAndDestroy();
  } catch {
    socket.destroy();
  }
}

/** The error that Node makes of a code of the system. */
export function systemError(errno: number, syscall: string): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${syscall} ${code}`), { code, errno, syscall });
}

/** How long a self-test may take. It takes milliseconds; it is longer only where the machine does something else. */
export const SELF_TEST_LIMIT_MS = 20_000;

/** How often the self-test writes 256 KB to a socket that is not read, until the kernel takes no more. */
const MOST_FILLS = 2048;

let found: Promise<DirectAccess | undefined> | undefined;
let refusal: string | undefined;

/**
 * Finds out how this process reads and writes connections directly; it tries that once, on a connection to itself over
 * 127.0.0.1, which takes milliseconds and at most 20 s. `undefined` if anything is not as expected: then the public
 * interface of sockets is to be used. Never rejects.
 */
export function findDirectAccess(): Promise<DirectAccess | undefined> {
  return (found ??= tryDirectAccess().catch((error: unknown) => {
    refusal = error instanceof Error ? error.message : String(error);
    return undefined;
  }));
}

/** Why `findDirectAccess` has found nothing, as a sentence; `undefined` if it has, or has not ended. */
export function whyNoDirectAccess(): string | undefined {
  return refusal;
}

/** Throws an `Error` that says what a socket did not do; `what` goes on after "did not". */
export function expectThat(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(`A socket did not ${what}.`);
}

/** A connection of the self-test: reads a few bytes of text, and then pieces of `fill`. */
class Probe extends Connection {
  text = "";
  /** Bytes of `fill` that came in order; -1 if one was wrong. */
  filled = 0;
  drained = 0;
  expectsFill = false;
  onChange: () => void = () => undefined;
  readonly memory = Buffer.allocUnsafeSlow(READ_BYTES);
  readonly fill: Buffer;
  readsIntoMemory = true;

  constructor(socket: Socket, direct: DirectAccess, fill: Buffer) {
    super(socket, direct);
    this.fill = fill;
    this.attach(this.memory);
  }

  protected onBytes(bytes: Buffer, start: number, end: number): boolean {
    const at = this.filled % 10;
    if (!this.expectsFill) this.text += bytes.toString("latin1", start, end);
    else if (this.fill.compare(bytes, start, end, at, at + end - start) === 0) this.filled += end - start;
    else this.filled = -1;
    this.readsIntoMemory &&= bytes === this.memory;
    this.onChange();
    return true;
  }

  protected onEnd(): void {
    this.onChange();
  }

  protected onDrained(): void {
    this.drained += 1;
  }

  protected onClosed(): void {
    this.onChange();
  }
}

/** Rejects with an error that says what was expected. */
async function tryDirectAccess(): Promise<DirectAccess> {
  const server = createServer({ allowHalfOpen: true });
  const sockets: Socket[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const say = (): void => reject(new Error(`The self-test took longer than ${SELF_TEST_LIMIT_MS} ms.`));
    timer = setTimeout(say, SELF_TEST_LIMIT_MS);
  });
  try {
    return await Promise.race([tooLong, connectToItself(server, sockets).then(tryOnPair)]);
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** The socket that connects, and the one that is accepted; `sockets` get all that there are. */
async function connectToItself(server: Server, sockets: Socket[]): Promise<readonly [Socket, Socket]> {
  server.on("connection", (socket: Socket) => sockets.push(socket.on("error", () => undefined)));
  // Of its own: workers of node:cluster would otherwise share the port, and be given the connections of one another.
  await once(server.listen({ port: 0, host: "127.0.0.1", exclusive: true }), "listening");
  const { port } = server.address() as AddressInfo;
  const here = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  sockets.push(here.on("error", () => undefined));
  await once(here, "connect");
  for (;;) {
    // Other processes may have connected to the port.
    const there = sockets.find(({ remotePort }) => remotePort === here.localPort);
    if (there !== undefined) return [here, there];
    await once(server, "connection");
  }
}

async function tryOnPair([here, there]: readonly [Socket, Socket]): Promise<DirectAccess> {
  const inside = Object.getOwnPropertySymbols(here);
  const memoryKey = inside.find(({ description }) => description === "kBuffer");
  const callbackKey = inside.find(({ description }) => description === "kBufferCb");
  expectThat(memoryKey !== undefined && callbackKey !== undefined, "tell what it reads into");
  const direct = new DirectAccess(memoryKey, callbackKey, findRequestClass(here));
  const isUsable = direct.handleOf(here) !== undefined && direct.handleOf(there) !== undefined;
  expectThat(isUsable, "show its handle");

  const fill = Buffer.alloc(262_140, "0123456789");
  const [writer, reader] = [new Probe(here, direct, fill), new Probe(there, direct, fill)];
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (isSo()) resolve();
        else if (writer.closed || reader.closed) reject(new Error("A connection of the self-test broke."));
      };
      writer.onChange = reader.onChange = look;
      look();
    });

  // Few bytes are sent at once; then their memory is free.
  const bytes = Buffer.from("bytes, ");
  const areSent =
    writer.writeText("t\u00e9xt, ") &&
    writer.writeBytes(bytes) &&
    writer.writeAll([Buffer.from("both "), bytes.fill("?")]);
  bytes.fill("!");
  expectThat(areSent && reader.writeText("back"), "send a few bytes at once");
  const sent = "-t\u00e9xt, bytes, both ???????";
  await until(() => reader.text.length >= sent.length && writer.text.length >= 4);
  expectThat(reader.text === sent && writer.text === "back", "receive a few bytes as they were sent");
  expectThat(reader.readsIntoMemory && writer.readsIntoMemory, "read into the memory that it was given");

  // Many bytes are not; they are still sent in order, and before the end.
  there.pause();
  reader.expectsFill = true;
  let fills = 0;
  for (; !writer.blocked && fills < MOST_FILLS; fills++) {
    // If a request did not tell that it is not free, it would not survive the next write.
    direct.renew();
    writer.writeBytes(fill);
  }
  expectThat(writer.blocked, "tell that the kernel takes no more");
  writer.end();
  reader.resume();
  await until(() => reader.ended && writer.drained > 0);
  expectThat(reader.filled === fills * fill.length, "receive many bytes as they were sent");
  expectThat(writer.drained === 1 && !writer.blocked, "tell once that all was sent");
  return direct;
}

/**
 * Has a socket write one byte, `-`, and looks at what it hands to its handle: a request or, in later releases of Node 24, nothing. Handles then make
 * their own requests, and still take given ones.
 */
function findRequestClass(socket: Socket): new () => WriteRequest {
  const handle = (socket as unknown as SocketInside)._handle as { -readonly [Key in keyof Handle]: Handle[Key] };
  let request: WriteRequest | null | undefined;
  handle.writeLatin1String = (...args) => {
    Reflect.deleteProperty(handle, "writeLatin1String");
    [request] = args;
    return handle.writeLatin1String(...args);
  };
  socket.write("-", "latin1");
  if (request === null) return classOfRequests();
  expectThat(typeof request?.constructor === "function", "write by its handle");
  return request.constructor as new () => WriteRequest;
}

/** The class of Node's own requests. */
function classOfRequests(): new () => WriteRequest {
  const { binding } = process as unknown as { binding?: (name: string) => { WriteWrap?: new () => WriteRequest } };
  const { WriteWrap } = binding?.call(process, "stream_wrap") ?? {};
  expectThat(WriteWrap !== undefined, "be written to by a request of its own");
  return WriteWrap;
}
