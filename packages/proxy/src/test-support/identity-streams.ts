import { connect, type Socket } from "node:net";
import { inspect } from "node:util";
import { Draws } from "@lbbench/test-support/draws.js";
import {
  type DirectAccess,
  type Fields,
  findDirectAccess,
  HTTP2,
  Http2Connection,
  Http2Stream,
  READ_BYTES,
  type StreamLoss,
} from "@lbbench/wire";
import { asked, bodyOf, type Mistakes } from "./identity-load.js";
import { startRawBackend } from "./servers.js";

/** All connections of this process read into this memory; streams copy what they keep. */
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** More than a stream may send before its reader has taken some of it. */
const MORE_THAN_WINDOW = 200_000;

const CONNECTIONS = 16;
const STREAMS_EACH = 20;
/** The balancer ends a connection of which more streams were reset at once. */
const MOST_RESETS = 900;

function valueOf(fields: Fields | undefined, name: string): string | undefined {
  for (let at = 0; fields !== undefined && at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
  return undefined;
}

/** A request that a backend is asked: it answers when it has read and compared all of it. */
class ServedStream extends Http2Stream {
  #path = "";
  #body = "";

  constructor(readonly owner: ServingConnection) {
    super();
  }

  override onHead(fields: Fields): void {
    this.#path = valueOf(fields, ":path") ?? "";
    if (asked(this.#path).how === "refuse" && this.owner.draws.chance(0.5)) this.reset(HTTP2.REFUSED_STREAM);
  }

  override onData(bytes: Buffer, from: number, to: number): void {
    this.#body += bytes.toString("latin1", from, to);
    this.consume(to - from);
  }

  override onEnd(): void {
    const { id, sent, how } = asked(this.#path);
    if (this.#body !== bodyOf(id, sent)) {
      this.owner.mistakes.push(`The backend got ${this.#body.slice(0, 80)} for ${this.#path}`);
    }
    if (how === "late") setImmediate(() => this.#answer());
    else this.#answer();
  }

  #answer(): void {
    const { id, bytes, how } = asked(this.#path);
    const body = Buffer.from(bodyOf(id, bytes), "latin1");
    const head = [":status", "200", "x-id", id];
    if (how === "length") head.push("content-length", String(bytes));
    this.writeHead(head, false);
    if (how === "break" || how === "die") {
      this.writeData(body.subarray(0, bytes >> 1), false);
      if (how === "break") this.reset(HTTP2.INTERNAL_ERROR);
      else this.owner.destroy();
      return;
    }
    this.writeData(body, false);
    this.writeEnd(how === "trailers" ? ["x-trailer-id", id] : undefined);
    if (how === "close") this.owner.shutDown();
  }

  override onDrained(): void {}

  override onLost(): void {}
}

class ServingConnection extends Http2Connection {
  constructor(
    socket: Socket,
    access: DirectAccess | undefined,
    readonly mistakes: Mistakes,
    readonly draws: Draws,
  ) {
    super(socket, access, { role: "server" });
  }

  protected override createStream(): Http2Stream {
    return new ServedStream(this);
  }
}

/** The same as `startIdentityBackend` over HTTP/2; `openStreams` are those that it has not ended. */
export async function startIdentityStreamBackend(mistakes: Mistakes, seed: number) {
  const draws = new Draws(seed);
  const access = await findDirectAccess();
  const connections = new Set<ServingConnection>();
  const server = await startRawBackend((socket) => {
    const connection = new ServingConnection(socket, access, mistakes, draws);
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
    connection.begin(MEMORY);
  });
  return {
    ...server,
    url: server.url.replace("http:", "h2c:"),
    openStreams: () => [...connections].reduce((sum, { openStreams }) => sum + openStreams, 0),
  };
}

/** What became of all requests; each is in one of these. */
export interface StreamOutcomes {
  /** Requests that were begun. */
  asked: number;
  /** Whole answers with status 200, each compared from the first byte to the last, by the backend that they name. */
  readonly answers: Record<string, number>;
  /** Answers with another status, and streams that the balancer has reset. */
  failed: number;
  /** Streams that the client has given up when their answers could have been on their way. */
  left: number;
  /** Streams that the client has reset when no whole answer could have been sent: its body was long, or the request had no end. */
  cut: number;
  /** Bodies longer than a window that were read late. */
  slow: number;
}

/** When a client gives a request up: at once, before it has sent all of it, or when a part of the answer has come. */
type GivingUp = "never" | "at once" | "unfinished" | "in the body";

class AskedStream extends Http2Stream {
  #isOk = false;
  #server = "";
  #body = "";
  /** Empty while it is under way. */
  #outcome = "";

  constructor(
    readonly owner: AskingConnection,
    readonly name: string,
    readonly bytes: number,
    readonly givingUp: GivingUp,
  ) {
    super();
  }

  /** Notes how it ended. It is a mistake of the balancer when it ends twice. */
  #ends(outcome: string): boolean {
    if (this.#outcome !== "") {
      this.owner.load.mistakes.push(`${this.name} has ended twice: ${this.#outcome}, ${outcome}`);
      return false;
    }
    this.#outcome = outcome;
    return true;
  }

  giveUp(outcome: "left" | "cut"): void {
    if (this.isOver || this.#outcome !== "") return;
    this.#outcome = outcome;
    this.owner.load.outcomes[outcome] += 1;
    this.owner.resets += 1;
    this.reset(HTTP2.CANCEL);
  }

  override onHead(fields: Fields): void {
    this.#isOk = fields[1] === "200";
    if (!this.#isOk) return;
    this.#server = valueOf(fields, "x-server") ?? "";
    if (valueOf(fields, "x-id") === this.name) return;
    this.owner.load.mistakes.push(`${fields.join(" ")} came for ${this.name}`);
  }

  override onData(bytes: Buffer, from: number, to: number): void {
    this.#body += bytes.toString("latin1", from, to);
    const taken = to - from;
    if (this.givingUp === "in the body" && this.#isOk) {
      this.#compare(true);
      this.giveUp("cut");
    } else if (this.bytes >= MORE_THAN_WINDOW && this.#isOk && this.#body.length === taken) {
      this.owner.load.outcomes.slow += 1;
      setTimeout(() => this.consume(taken), this.owner.load.draws.below(30));
    } else this.consume(taken);
  }

  #compare(isPart: boolean): void {
    const whole = bodyOf(this.name, this.bytes);
    if (this.#body === (isPart ? whole.slice(0, this.#body.length) : whole)) return;
    this.owner.load.mistakes.push(
      `${this.#body.length} of ${this.bytes} bytes, ${this.#body.slice(0, 80)}, for ${this.name}`,
    );
  }

  override onEnd(trailers: Fields | undefined): void {
    const { outcomes, mistakes } = this.owner.load;
    if (!this.#ends("answer")) return;
    if (!this.#isOk) {
      outcomes.failed += 1;
      return;
    }
    this.#compare(false);
    const told = valueOf(trailers, "x-trailer-id") ?? this.name;
    if (told !== this.name) mistakes.push(`Trailers of ${told} came for ${this.name}`);
    outcomes.answers[this.#server] = (outcomes.answers[this.#server] ?? 0) + 1;
  }

  override onDrained(): void {}

  override onLost(loss: StreamLoss): void {
    const { outcomes, mistakes } = this.owner.load;
    // The rest of a request is not wanted behind an answer (RFC 9113, 8.1).
    if (this.#outcome === "answer") return;
    if (!this.#ends(loss.kind)) return;
    if (this.#isOk) this.#compare(true);
    if (loss.kind === "reset") outcomes.failed += 1;
    else if (loss.kind === "closed" && this.owner.hasLeft) outcomes.left += 1;
    else mistakes.push(`${this.name} was lost: ${inspect(loss)}`);
  }
}

/** What all connections of a load share. */
interface StreamLoad {
  readonly count: number;
  readonly mistakes: Mistakes;
  readonly draws: Draws;
  readonly outcomes: StreamOutcomes;
}

class AskingConnection extends Http2Connection {
  resets = 0;
  /** The client breaks it with all that is under way. */
  hasLeft = false;
  #isAsking = false;

  constructor(
    socket: Socket,
    access: DirectAccess | undefined,
    readonly load: StreamLoad,
    readonly onGone: () => void,
  ) {
    // Of every second connection the window is not wide enough for the bodies of all of its streams.
    const wide = load.draws.chance(0.5) ? 2_000_000 : 250_000;
    super(socket, access, { role: "client", connectionWindowBytes: wide });
  }

  protected override onSettings(): void {
    this.#ask();
  }

  protected override onStreamEnded(): void {
    this.#ask();
  }

  protected override onGoaway(): void {
    this.load.mistakes.push(`The balancer has ended a connection: ${inspect(this.goaway)}`);
    this.destroy();
  }

  protected override onClosed(error: Error | undefined): void {
    super.onClosed(error);
    if (error !== undefined) this.load.mistakes.push(`A connection broke: ${error.message}`);
    this.onGone();
  }

  /** Asks as long as there is room, and leaves when there is nothing more to ask. */
  #ask(): void {
    if (this.#isAsking || this.closed) return;
    this.#isAsking = true;
    const { count, mistakes, outcomes, draws } = this.load;
    while (outcomes.asked < count && this.resets < MOST_RESETS && mistakes.length === 0) {
      if (this.openStreams >= STREAMS_EACH || !this.canOpen) break;
      this.#askOne();
      if (draws.below(20_000) === 0) {
        this.hasLeft = true;
        setImmediate(() => this.destroy());
        return;
      }
    }
    this.#isAsking = false;
    if (this.openStreams === 0) this.shutDown();
  }

  #askOne(): void {
    const { draws, outcomes } = this.load;
    const id = `s${(outcomes.asked++).toString(36)}`;
    const sizeOf = (): number =>
      draws.below(1000) === 0 ? MORE_THAN_WINDOW + draws.below(MORE_THAN_WINDOW) : draws.below(200);
    const isCut = draws.below(1500) === 0;
    const bytes = isCut ? 2 * MORE_THAN_WINDOW : sizeOf();
    const isPost = draws.chance(0.2);
    const sent = isPost ? 1 + sizeOf() : 0;
    const isUnfinished = isPost && draws.chance(0.01);
    const givingUp = isCut ? "in the body" : isUnfinished ? "unfinished" : draws.chance(0.004) ? "at once" : "never";
    const how = howOf(draws);
    const stream = new AskedStream(this, id, bytes, givingUp);
    const path = `/${id}/${bytes}/${sent}/${isCut ? "length" : how}`;
    const fields = [":method", isPost ? "POST" : "GET", ":scheme", "http", ":authority", "a", ":path", path];
    this.open(stream, fields, !isPost);
    if (isPost) {
      const body = Buffer.from(bodyOf(id, sent), "latin1");
      const first = isUnfinished || draws.chance(0.3) ? draws.below(sent) : 0;
      if (first > 0) stream.writeData(body.subarray(0, first), false);
      if (!isUnfinished) stream.writeData(body.subarray(first), true);
    }
    if (givingUp === "unfinished") setImmediate(() => stream.giveUp("cut"));
    if (givingUp !== "at once") return;
    if (draws.chance(0.5)) setImmediate(() => stream.giveUp("left"));
    else setTimeout(() => stream.giveUp("left"), draws.below(10));
  }
}

function howOf(draws: Draws): string {
  if (draws.chance(0.8)) return "length";
  if (draws.below(300) > 0) return draws.of(["chunked", "late", "trailers", "none"]);
  return draws.below(10) > 0 ? draws.of(["break", "break", "refuse", "close", "unasked"]) : "die";
}

/**
 * Clients over HTTP/2 that ask so many requests on several connections with many streams each. Some reset streams, read
 * late, or break their connections, and come back. Resolves when each request has ended and all connections are closed.
 */
export async function exchangeStreamIdentities(
  url: string,
  count: number,
  mistakes: Mistakes,
): Promise<StreamOutcomes> {
  const access = await findDirectAccess();
  const outcomes: StreamOutcomes = { asked: 0, answers: {}, failed: 0, left: 0, cut: 0, slow: 0 };
  const load = { count, mistakes, draws: new Draws(7), outcomes };
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const { port } = new URL(url);
      const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
      const connection = new AskingConnection(socket, access, load, resolve);
      socket.once("connect", () => connection.begin(MEMORY));
    });
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (outcomes.asked < count && mistakes.length === 0) await one();
    }),
  );
  return outcomes;
}
