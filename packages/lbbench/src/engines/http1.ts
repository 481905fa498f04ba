/** HTTP/1.1 for engines that send each request themselves: the connections of a user, and how requests end on them. */
import { isIP } from "node:net";
import {
  Connection,
  findBareConnect,
  findDirectAccess,
  READ_BYTES,
  type ConnectionSocket,
  type DirectAccess,
} from "@lbbench/wire";
import type { LoadRun, Loss } from "./load-run.js";
import {
  requestersBy,
  type CreateRequester,
  type Line,
  type LinePlan,
  type OnDone,
  type RequestAccount,
  type RequestFailure,
} from "./requester.js";
import { endOf, handshakeOf, openSocket, type OfferedProtocol } from "./sockets.js";

/** Reads the answers of one connection after another, and calls a listener. */
export interface AnswerReader {
  /** Begins with a connection. */
  readonly begin: () => void;
  /** Reads on, up to the end of an answer. Returns a code if the bytes are none, or if more follow: then the connection is lost. */
  readonly read: (bytes: Buffer, start: number, end: number) => string | undefined;
  /** The server has ended the connection: that completes an answer whose body ends by it. */
  readonly finish: () => void;
}

/**
 * What is told of the answer to the open request: `head` with its status, also that of an informational answer (1xx), and with the
 * `Server-Timing` of any other where that is read.
 */
export type AnswerListener = Pick<RequestAccount, "picked" | "head" | "body">;

/** Called when an answer is complete. `reusable`: whether the server keeps the connection. */
export type OnComplete = (reusable: boolean) => void;

/** How an engine speaks HTTP/1.1. */
export interface Http1 {
  readonly protocol?: OfferedProtocol;
  readonly createReader: (account: RequestAccount, onComplete: OnComplete) => AnswerReader;
  /** Whether the parts of a request's time are recorded. */
  readonly phases: boolean;
}

export const INVALID_RESPONSE = "INVALID_RESPONSE";
export const UNASKED_RESPONSE = "UNASKED_RESPONSE";

/** How such a failure loses a connection. After others it is given up. */
const LOSSES: ReadonlyMap<RequestFailure["kind"], Loss> = new Map([
  ["dropped", "closed"],
  ["resets", "reset"],
]);

/** All connections of this process read into this memory, and copy what they keep. */
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** Resolves with a function that creates requesters over HTTP/1.1, each with a connection of its own. */
export async function http1Requesters(run: LoadRun, plan: LinePlan, how: Http1): Promise<CreateRequester> {
  const access = await findDirectAccess();
  // TLS needs a stream.
  const isPlain = !plan.secure && plan.path === undefined;
  const connectBare = access === undefined || !isPlain ? undefined : await findBareConnect();
  const isAddress = isIP(plan.host) !== 0;
  /** An address to connect to without a stream; of `localhost` where it was reached last. Any other name may mean another machine each time. */
  let address = isAddress ? plan.host : undefined;
  const connect: Connect = (line, byName = false) => {
    if (byName) address = undefined;
    let reached = address;
    const onReady = (): void => {
      address = reached;
      line.onReady(connection);
    };
    const { localAddress } = line;
    // A bare connection leaves the choice of its own address to the system.
    const host = localAddress === undefined ? address : undefined;
    const bare = host === undefined ? undefined : connectBare?.({ host, port: plan.port }, onReady);
    const open = (): ConnectionSocket => {
      const socket = openSocket({ ...plan, localAddress }, onReady, how.protocol);
      return plan.host === "localhost" ? socket.on("connectionAttempt", (ip) => (reached = ip)) : socket;
    };
    const connection = new UserConnection(bare ?? open(), access, line);
    connection.isGuess = bare !== undefined && !isAddress;
    return connection;
  };
  const common = { run, plan, how, connect };
  const { sources } = plan;
  let lines = 0;
  return requestersBy(run, plan, (account, onDone) => {
    const localAddress = sources[lines++ % sources.length];
    return new Http1Line(account, onDone, common, localAddress);
  });
}

/** What the users of a load have in common. */
interface Http1Load {
  readonly run: LoadRun;
  readonly plan: LinePlan;
  readonly how: Http1;
  readonly connect: Connect;
}

/** Opens a connection. */
type Connect = (line: Http1Line, byName?: boolean) => UserConnection;

/** Passes on what happens on a connection. */
class UserConnection extends Connection<ConnectionSocket> {
  readonly #line: Http1Line;
  isReady = false;
  /** It goes where a name was reached before. */
  isGuess = false;
  /** Requests that were written on it. */
  sent = 0;

  constructor(socket: ConnectionSocket, access: DirectAccess | undefined, line: Http1Line) {
    super(socket, access);
    this.#line = line;
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    this.#line.onBytes(bytes, start, end);
    return true;
  }

  protected override onEnd(): void {
    this.#line.onEnd(this);
  }

  protected override onDrained(): void {}

  protected override onClosed(error: NodeJS.ErrnoException | undefined): void {
    this.#line.onClosed(this, error);
  }
}

/**
 * Sends the requests of one user, and enters the outcome of each. Of a connection that was given up only its end counts.
 */
class Http1Line implements Line {
  readonly #account: RequestAccount;
  readonly #onDone: OnDone;
  readonly #run: LoadRun;
  readonly #load: Http1Load;
  readonly #phases: boolean;
  readonly #reader: AnswerReader;
  /** The address that it connects from; `undefined` where the system chooses. */
  readonly localAddress: string | undefined;
  #connection: UserConnection | undefined;
  #connectingUs = 0;
  /** Bytes that had come before the open request was written cannot be its answer. */
  #isWritten = false;
  #readUs = 0;

  constructor(account: RequestAccount, onDone: OnDone, load: Http1Load, localAddress: string | undefined) {
    this.#account = account;
    this.#onDone = onDone;
    this.#run = load.run;
    this.#load = load;
    this.#phases = load.how.phases;
    this.#reader = load.how.createReader(account, (reusable) => this.#complete(reusable));
    this.localAddress = localAddress;
  }

  send(): void {
    const connection = this.#connection;
    if (connection !== undefined) return this.#write(connection);
    this.#connectingUs = this.#run.nowUs();
    this.#connection = this.#load.connect(this);
  }

  giveUp(): void {
    this.#fail({ kind: "timedOut" });
  }

  async close(): Promise<void> {
    this.#drop();
  }

  onReady(connection: UserConnection): void {
    connection.isReady = true;
    this.#account.connections.established();
    const tookUs = this.#run.nowUs() - this.#connectingUs;
    this.#account.waited(tookUs);
    this.#run.recorder.connected(tookUs, handshakeOf(connection.socket, this.#load.plan));
    this.#reader.begin();
    connection.attach(MEMORY);
    if (connection === this.#connection) this.#write(connection);
  }

  onBytes(bytes: Buffer, start: number, end: number): void {
    this.#run.recorder.counts.received += end - start;
    if (!this.#isWritten) return this.#failRead(UNASKED_RESPONSE);
    this.#readUs = this.#run.nowUs();
    if (this.#phases) this.#account.startsAnswer(this.#readUs);
    const fault = this.#reader.read(bytes, start, end);
    if (fault !== undefined) this.#failRead(fault);
  }

  /** Node calls this also if a reset came with the last bytes. */
  onEnd(connection: UserConnection): void {
    const end = endOf(connection.socket);
    this.#readUs = this.#run.nowUs();
    if (end.kind === "dropped") this.#reader.finish();
    this.#fail(end);
  }

  onClosed(connection: UserConnection, error: NodeJS.ErrnoException | undefined): void {
    if (connection !== this.#connection) return;
    if (connection.isGuess && !connection.isReady) {
      this.#connection = this.#load.connect(this, true);
      return;
    }
    if (error === undefined) return this.#fail({ kind: "dropped" });
    const { code = "UNKNOWN" } = error;
    this.#fail({ kind: connection.isReady ? "resets" : "connectErrors", code });
  }

  #complete(reusable: boolean): void {
    if (!this.#account.isOpen) return this.#failRead(UNASKED_RESPONSE);
    this.#isWritten = false;
    this.#account.settleAnswer(this.#readUs);
    if (reusable && (this.#connection?.sent ?? 0) < this.#load.plan.requestsPerConnection) this.#onDone(true, true);
    else this.#lose("closed");
  }

  #write(connection: UserConnection): void {
    const { bytes } = this.#account.picked;
    connection.sent += 1;
    this.#isWritten = true;
    this.#run.recorder.counts.written += bytes.length;
    if (this.#phases) this.#account.written();
    connection.writeBytes(bytes);
  }

  #failRead(code: string): void {
    this.#fail({ kind: "mismatched", code });
  }

  #fail(failure: RequestFailure): void {
    const how = LOSSES.get(failure.kind) ?? "givenUp";
    // The loss of an idle connection fails no request.
    if (!this.#account.isOpen) return this.#drop(how);
    this.#account.settleFailure(failure, this.#connection?.isReady === true);
    this.#lose(how);
  }

  /** Gives the connection up. Its reader may still be busy, so the next connection is opened only after that. */
  #lose(how: Loss): void {
    const had = this.#connection?.isReady === true;
    this.#drop(how);
    queueMicrotask(() => this.#onDone(had, false));
  }

  /** `how` it was lost; without it the connection was no longer needed. */
  #drop(how?: Loss): void {
    if (this.#connection?.isReady === true) this.#account.connections.closed(how);
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#isWritten = false;
  }
}
