import type { Socket } from "node:net";
import { BodyScan, Connection, READ_BYTES, type Timed } from "@lbbench/wire";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import { connectBackend, connectedEvent } from "../pool/connect-backend.js";
import { ConnectionLink } from "./connection-link.js";
import type { HttpContext } from "./context.js";
import { type Asker, type Attempt, type Failure, type Link, lossBy, UNASKED_SWITCH } from "./link.js";

const LINE_END = Buffer.from("\r\n");

const REMOVED = "was removed before the connection had ended.";

/** A way to a backend on the wire: the connection that was used last is used next, so that those too many become idle. */
export class WireLink extends ConnectionLink<BackendConnection> implements Link {
  readonly #idle: BackendConnection[] = [];

  send(asker: Asker, head: Buffer, isFresh: boolean): Attempt {
    // What is asked for on a connection of its own cannot meet one that its backend is about to close.
    let idle = asker.upgrade === "" && !isFresh ? this.#idle.pop() : undefined;
    // A connection that was just closed is still among them, and would lose the request.
    while (idle?.closed === true) idle = this.#idle.pop();
    if (idle !== undefined) return idle.take(asker, head);
    const socket = connectBackend(this.backend, this.context.options.backendTls, { allowHalfOpen: true });
    const connection = new BackendConnection(socket, this);
    this.all.add(connection);
    return connection.take(asker, head);
  }

  /** Takes over a socket that is connected, for the next request. */
  adopt(socket: Socket): void {
    const connection = new BackendConnection(socket, this, true);
    this.all.add(connection);
    this.#idle.push(connection);
  }

  onFree(connection: BackendConnection): void {
    this.#idle.push(connection);
  }

  onGone(connection: BackendConnection): void {
    const at = this.#idle.lastIndexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.forget(connection);
  }
}

/** A connection to a backend, with the one request at a time that is under way on it. */
class BackendConnection extends Connection implements Attempt, Timed {
  aliveTick = 0;
  place = -1;
  isConnected = false;
  readonly #context: HttpContext;
  readonly #owner: WireLink;
  readonly #body = new BodyScan();
  #asker: Asker | undefined;
  #head: Buffer | undefined;
  /** Whether the answer's head has come. */
  #isAnswering = false;
  #hasAnswered = false;
  #hasServed = false;
  /** The connection carries another protocol than HTTP. */
  #isTunnel = false;
  /** What has come and cannot be read yet: a part of a head, or what waits for the client. */
  #kept: Buffer | undefined;
  #restOf: Buffer | undefined;
  #restFrom = 0;
  #restEnd = 0;
  /** All of the answer has come, and nothing more is read until the client has taken it. */
  #isHeld = false;

  constructor(socket: Socket, owner: WireLink, isConnected = false) {
    super(socket, owner.context.access);
    this.#context = owner.context;
    this.#owner = owner;
    this.#context.deadlines.watch(this);
    if (isConnected) this.#begin();
    else {
      socket.once(connectedEvent(owner.backend), () => {
        if (this.closed) return;
        this.#begin();
        this.#asker?.onConnected();
      });
    }
  }

  #begin(): void {
    this.isConnected = true;
    this.attach(Buffer.allocUnsafeSlow(READ_BYTES));
  }

  take(asker: Asker, head: Buffer): this {
    this.#asker = asker;
    this.#head = head;
    this.#hasAnswered = false;
    return this;
  }

  start(first: Buffer | undefined): void {
    const head = this.#head as Buffer;
    this.#head = undefined;
    if (first === undefined) this.writeBytes(head);
    else this.writeAll(this.#isChunked ? [head, sizeOf(first), first, LINE_END] : [head, first]);
  }

  sendBody(piece: Buffer): void {
    if (this.#isChunked) this.writeAll([sizeOf(piece), piece, LINE_END]);
    else this.writeBytes(piece);
  }

  get #isChunked(): boolean {
    return !this.#isTunnel && this.#asker?.isChunked === true;
  }

  endBody(trailers: string): void {
    if (this.#isChunked) this.writeText(`0\r\n${trailers}\r\n`);
  }

  release(keep: boolean): void {
    const isTunnel = this.#isTunnel;
    this.#asker = undefined;
    this.#isAnswering = false;
    if (isTunnel) this.destroySoon();
    else if (!keep || this.blocked || this.ended || this.broken || this.closed) this.destroy();
    else {
      this.#hasServed = true;
      this.aliveTick = this.#context.deadlines.tick;
      this.resume();
      if (this.#isHeld) this.#lookBeforeFree();
      else this.#owner.onFree(this);
    }
  }

  /** It was not read for a while: its backend may have closed it, which is seen one turn of the event loop later. */
  #lookBeforeFree(): void {
    this.#isHeld = false;
    const tell = (): void => void (!this.closed && !this.ended && this.#owner.onFree(this));
    setImmediate(() => setImmediate(tell));
  }

  abandon(how: "close" | "reset"): void {
    this.#asker = undefined;
    if (how === "reset") this.reset();
    else this.destroy();
  }

  /** The backend was removed. */
  remove(): void {
    const asker = this.#asker;
    this.#asker = undefined;
    this.reset();
    if (this.#isTunnel) asker?.breakTunnel(`The backend ${REMOVED}`, false);
    else asker?.lose({ kind: this.isConnected ? "broken" : "connect", what: REMOVED });
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    const kept = this.#kept;
    if (kept === undefined) return this.#read(bytes, start, end);
    this.#kept = undefined;
    const all = Buffer.concat([kept, bytes.subarray(start, end)]);
    return this.#read(all, 0, all.length);
  }

  #read(bytes: Buffer, start: number, end: number): boolean {
    const asker = this.#asker;
    if (asker === undefined) {
      // This was not asked for, and must not become the answer to the next request.
      this.destroy();
      return true;
    }
    if (this.#isTunnel) return asker.tunnelToClient(bytes, start, end);
    this.#hasAnswered = true;
    if (this.#isAnswering) return this.#passOn(asker, bytes, start, start, end);
    return this.#readHead(asker, bytes, start, end);
  }

  #readHead(asker: Asker, bytes: Buffer, start: number, end: number): boolean {
    const { answerHead } = this.#context;
    let from = start;
    for (;;) {
      const next = answerHead.scan(bytes, from, end);
      if (next < 0) return this.#lose({ kind: "invalid", what: `sent an answer ${answerHead.reason}.` });
      if (next === 0) {
        if (from < end) this.#kept = Buffer.from(bytes.subarray(from, end));
        return true;
      }
      const { status } = answerHead;
      if (status === 101) return this.#agree(asker, bytes, next, end);
      if (status >= 200) {
        this.#isAnswering = true;
        const first = asker.openAnswer(answerHead, bytes, next, this.#body);
        return this.#passOn(asker, bytes, first, next, end);
      }
      const goesOn = asker.interim(answerHead, bytes, next - from);
      if (this.#asker === undefined) return true;
      from = next;
      if (!goesOn) return this.#wait(bytes, from, end);
    }
  }

  #agree(asker: Asker, bytes: Buffer, next: number, end: number): boolean {
    const { answerHead } = this.#context;
    if (asker.upgrade === "") return this.#lose(UNASKED_SWITCH);
    if (answerHead.upgrade === "") {
      const what = "sent an answer that cannot be passed on: it agrees to an upgrade, but does not say to what.";
      return this.#lose({ kind: "invalid", what });
    }
    this.#isTunnel = true;
    asker.agree(answerHead, bytes);
    return next === end || this.#asker === undefined || asker.tunnelToClient(bytes, next, end);
  }

  /** Passes the body of an answer on; what stands from `first` to `from` goes in front of it. */
  #passOn(asker: Asker, bytes: Buffer, first: number, from: number, end: number): boolean {
    const body = this.#body;
    let begin = first;
    let at = from;
    do {
      const to = body.take(bytes, at, end);
      asker.bodyBytes = body.payloadBytes;
      if (to < 0) {
        return this.#lose({ kind: "invalid", what: `sent an answer whose body cannot be read: ${body.reason}.` });
      }
      const isTaken = asker.write(this.pieceOf(bytes, begin, to));
      at = body.next;
      begin = at;
      if (body.done) {
        // While the client has not taken it nothing more may be read into its memory.
        this.#isHeld = !isTaken;
        asker.endAnswer(body.trailers, body.endWritten, at === end);
        return isTaken;
      }
      if (!isTaken) return this.#wait(bytes, at, end);
    } while (at < end);
    return true;
  }

  /** Leaves the rest in place, and reads nothing more, until the client has taken what it got. */
  #wait(bytes: Buffer, from: number, end: number): false {
    if (from < end) {
      this.#restOf = bytes;
      this.#restFrom = from;
      this.#restEnd = end;
    }
    return false;
  }

  override resume(): void {
    const rest = this.#restOf;
    this.#restOf = undefined;
    if (rest !== undefined && this.#asker !== undefined) {
      if (!this.#read(rest, this.#restFrom, this.#restEnd)) return;
    }
    super.resume();
  }

  protected override onEnd(): void {
    const asker = this.#asker;
    if (asker === undefined) this.destroy();
    else if (this.#isTunnel) asker.endTunnelOf("backend");
    else if (this.#isAnswering && this.#body.endsByClose) asker.endAnswer("", true, false);
    else if (!this.#isComplete) this.#break(undefined);
  }

  protected override onDrained(): void {
    this.#asker?.onBackendDrained();
  }

  protected override onClosed(error: Error | undefined): void {
    this.#context.deadlines.forget(this);
    this.#owner.onGone(this);
    if (this.#asker === undefined || this.#isComplete) return;
    if (this.#isTunnel) {
      const what = error === undefined ? "was closed" : `broke: ${error.message}`;
      this.#asker.breakTunnel(`The backend's connection ${what}.`, this.ended);
    } else this.#break(error);
  }

  /** Whether all of the answer has come, and only the client has not taken it yet. */
  get #isComplete(): boolean {
    return this.#isAnswering && this.#body.done;
  }

  /** The connection ends without an answer, or before the end of one. */
  #break(error: Error | undefined): void {
    if (!this.isConnected) this.#lose(lossBy(error, "connecting"));
    else if (this.#hasAnswered) this.#lose(lossBy(error, "answering"));
    else this.#lose(lossBy(error, this.#hasServed ? "kept" : "asked"));
  }

  /** Ends the connection and with it what is under way; nothing more is to be read. */
  #lose(failure: Failure): true {
    const asker = this.#asker;
    this.#asker = undefined;
    this.destroy();
    asker?.lose(failure);
    return true;
  }

  allowedMs(): number {
    return this.#asker === undefined && this.isConnected ? BALANCER_DEFAULTS.backendIdleMs : Infinity;
  }

  onLate(): void {
    this.destroy();
  }
}

/** The line in front of a chunk. */
function sizeOf(piece: Buffer): Buffer {
  return Buffer.from(`${piece.length.toString(16)}\r\n`, "latin1");
}
