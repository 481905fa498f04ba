/** gRPC over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md): calls as requests, and what their answers mean. */
import type { Fields } from "@lbbench/wire";
import { INVALID_RESPONSE } from "../http1.js";
import { http2Requesters, type Codec, type StreamReader } from "../http2.js";
import { linePlanOf, type PrepareSenders, type RequestAccount, type RequestFailure } from "../requester.js";
import { parseGrpcTarget, resolveCall, type GrpcCall } from "./call.js";
import type { GrpcOptions } from "./engine.js";

/** The calls of a load, over a few channels. */
export const grpcSenders: PrepareSenders = async (load) => {
  // As the engine has read them.
  const { channels, deadline, ...options } = load.options as GrpcOptions;
  const call = await resolveCall({ options, request: load.request }, load.folder);
  const codec = grpcCodec(call, { ...parseGrpcTarget(load.url), deadlineMs: deadline });
  const plan = linePlanOf(load);
  // In turn, so that users that come one after another share them evenly as well.
  const connectionOf = (requester: number): number => requester % channels;
  return { requestersFor: (run) => http2Requesters(run, plan, codec, connectionOf), connectionOf };
};

/** Names of statuses, by number. */
const STATUSES: readonly string[] = (
  "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED " +
  "FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED"
).split(" ");
const OK = "OK";
const DEADLINE_EXCEEDED: RequestFailure = { kind: "non2xx", status: "DEADLINE_EXCEEDED" };

/** Where calls go, and how long they may take. */
export interface CallPlan {
  /** Host and port. */
  readonly authority: string;
  readonly secure: boolean;
  /** `undefined`: the server is told none. */
  readonly deadlineMs: number | undefined;
}

/**
 * Creates what makes the same call again and again. Its time starts to be an answer when the first message is whole. With a deadline a call
 * that is not answered by then ends with `DEADLINE_EXCEEDED`, whether it is the server that says so or not.
 */
export function grpcCodec(call: GrpcCall, { authority, secure, deadlineMs }: CallPlan): Codec {
  const pseudo = [":method", "POST", ":scheme", secure ? "https" : "http", ":path", call.path, ":authority", authority];
  const own = ["te", "trailers", "content-type", "application/grpc", "grpc-accept-encoding", "identity"];
  const timeout = deadlineMs === undefined ? [] : ["grpc-timeout", timeoutText(deadlineMs)];
  const fields: Fields = [...pseudo, ...own, ...timeout, ...call.metadata];
  const request = { fields, body: frameMessage(call.message) };
  return {
    requestOf: () => request,
    createReader: (account) => new CallReader(account, call),
    deadline: deadlineMs === undefined ? undefined : { ms: deadlineMs, failure: DEADLINE_EXCEEDED },
    awaitsSettings: true,
  };
}

/** Units of `grpc-timeout`, in ms, the smallest first. */
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ["u", 0.001],
  ["m", 1],
  ["S", 1000],
];
/** The value has at most eight digits. */
const MOST_UNITS = 99_999_999;

/** A time as `grpc-timeout` has it, rounded up. */
export function timeoutText(ms: number): string {
  const [unit, length] = UNITS.find(([, one]) => ms / one <= MOST_UNITS) ?? ["S", 1000];
  return `${Math.min(MOST_UNITS, Math.ceil(Number((ms / length).toFixed(3))))}${unit}`;
}

/** Whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

function frameMessage(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

const INVALID: RequestFailure = { kind: "mismatched", code: INVALID_RESPONSE };
const HTTP_OK = 200;

class CallReader implements StreamReader {
  readonly #account: RequestAccount;
  readonly #call: GrpcCall;
  #head: Fields = [];
  #httpStatus = 0;
  #isGrpc = false;
  /** Whether a message was compressed, which was not offered. */
  #isCompressed = false;
  #messages = 0;
  #areExpected = true;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  /** Bytes that the message still has to come. */
  #left = 0;
  /** What has come of a message that is compared. */
  #pieces: Buffer[] = [];

  constructor(account: RequestAccount, call: GrpcCall) {
    this.#account = account;
    this.#call = call;
  }

  begin(): void {
    this.#messages = 0;
    this.#areExpected = true;
    this.#isCompressed = false;
    this.#prefixBytes = 0;
    if (this.#pieces.length > 0) this.#pieces = [];
  }

  head(fields: Fields): void {
    this.#head = fields;
    this.#httpStatus = Number(valueOf(fields, ":status"));
    this.#isGrpc = valueOf(fields, "content-type")?.startsWith("application/grpc") ?? true;
  }

  data(bytes: Buffer, from: number, to: number, nowUs: number): void {
    let at = from;
    while (at < to && this.#isGrpc) {
      while (this.#prefixBytes < PREFIX_BYTES) {
        if (at === to) return;
        this.#prefix[this.#prefixBytes] = bytes[at] as number;
        this.#prefixBytes += 1;
        at += 1;
        if (this.#prefixBytes === PREFIX_BYTES) this.#left = this.#prefix.readUInt32BE(1);
      }
      if (this.#prefix[0] !== 0) this.#isCompressed = true;
      const size = Math.min(this.#left, to - at);
      this.#account.body(bytes, at, size);
      this.#left -= size;
      if (this.#call.isExpected !== undefined) this.#compare(bytes.subarray(at, at + size));
      at += size;
      if (this.#left > 0) return;
      if (this.#messages === 0) this.#account.startsAnswer(nowUs);
      this.#messages += 1;
      this.#prefixBytes = 0;
    }
  }

  end(trailers: Fields | undefined, nowUs: number): void {
    const failure = this.#failure(trailers ?? this.#head);
    if (failure === undefined) this.#account.settleOk(OK, nowUs);
    else this.#account.settleFailure(failure, true, nowUs);
  }

  /** `fields`: the trailers, or a head that is all of the answer. */
  #failure(fields: Fields): RequestFailure | undefined {
    if (this.#httpStatus !== HTTP_OK) return { kind: "non2xx", status: `HTTP ${this.#httpStatus}` };
    if (!this.#isGrpc) return INVALID;
    const text = valueOf(fields, "grpc-status");
    if (text === undefined) return { kind: "dropped" };
    if (!/^\d{1,10}$/.test(text)) return INVALID;
    const status = STATUSES[Number(text)] ?? String(Number(text));
    if (status !== OK) return { kind: "non2xx", status };
    const isWhole = this.#prefixBytes === 0 && !this.#isCompressed;
    if (!isWhole || (this.#messages !== 1 && !this.#call.streams)) return INVALID;
    return this.#areExpected ? undefined : { kind: "mismatched", status: OK };
  }

  /** Compares a message once it is whole. Its pieces are copied where there are several. */
  #compare(piece: Buffer): void {
    const isWhole = this.#left === 0;
    if (this.#pieces.length === 0 && isWhole) this.#areExpected &&= this.#call.isExpected?.(piece) ?? true;
    else this.#pieces.push(Buffer.from(piece));
    if (!isWhole || this.#pieces.length === 0) return;
    this.#areExpected &&= this.#call.isExpected?.(Buffer.concat(this.#pieces)) ?? true;
    this.#pieces = [];
  }
}

function valueOf(fields: Fields, name: string): string | undefined {
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
  return undefined;
}
