/** What the sample servers can do with a request: one entry a kind, with how it is written and what it does. */
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { busyWork, delaySampler, doFixedWork, seededSource, type Delay } from "./costs.js";
import { HANDLER_DEFAULTS } from "./defaults.js";
import { DELAY, DURATION, ExpectationError, SHARE, SIZE, splitText, wholeNumber, type Field } from "./handler-text.js";
import {
  drainBody,
  jsonBody,
  prepareAnswer,
  TEXT,
  textBody,
  workHandler,
  type Answer,
  type Handler,
  type Work,
} from "./work.js";

/** Size of the body; the handler's own short body when absent. */
export interface SizedSpec {
  readonly sizeBytes?: number;
}

/** Answers with a short text. */
export interface HelloSpec extends SizedSpec {
  readonly name: "hello";
}

/** Answers with a small JSON document. */
export interface JsonSpec extends SizedSpec {
  readonly name: "json";
}

/** Answers with the body and the content type of the request. */
export interface EchoSpec {
  readonly name: "echo";
}

/** Answers after a delay that costs no processor time. */
export interface SleepSpec extends SizedSpec {
  readonly name: "sleep";
  readonly delay: Delay;
  /** Of a random delay; the same seed gives the same delays. */
  readonly seed?: number;
}

/** Answers after work that keeps the processor busy. */
export interface CpuSpec extends SizedSpec {
  readonly name: "cpu";
  /** Processor time per request, in ms. */
  readonly busyMs: number;
}

/** Answers after a fixed amount of work. */
export interface WorkSpec extends SizedSpec {
  readonly name: "work";
  /** Processor time per request on a usual core, in ms. */
  readonly workMs: number;
}

/** Answers a share of the requests with a 5xx. */
export interface ErrorSpec extends SizedSpec {
  readonly name: "error";
  /** 0 to 1. */
  readonly share: number;
  readonly status: number;
  /** Draws the requests that fail; without it they are evenly spaced. */
  readonly seed?: number;
}

/** Answers with server-sent events until the client goes away. */
export interface EventsSpec extends SizedSpec {
  readonly name: "events";
  /** From one event to the next, in ms; the first comes at once. */
  readonly everyMs: number;
}

/** What a sample server does with a request, as plain data. */
export type HandlerSpec = HelloSpec | JsonSpec | EchoSpec | SleepSpec | CpuSpec | WorkSpec | ErrorSpec | EventsSpec;

/** A handler that cannot be understood; the message says what was expected, what came, and which handlers there are. */
export class HandlerSpecError extends Error {
  override readonly name = "HandlerSpecError";
}

interface HandlerKind<Spec extends HandlerSpec = HandlerSpec> {
  /** How it is written, with the options that it takes, and what it does. */
  readonly help: string;
  /** How each property of its specs is written: first the argument, then the options in their order. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Fills in what depends on other properties; throws an `ExpectationError` for properties that do not go together. */
  complete?(spec: Spec): Spec;
  /** What it does for a request; `worker` numbers the workers of a cluster, so that each draws numbers of its own. */
  work(spec: Spec, worker: number): Work;
  /** The handler, where it does not do its work on requests that have come whole. */
  create?(spec: Spec): Handler;
}

type Kinds = { readonly [Name in HandlerSpec["name"]]: HandlerKind<Extract<HandlerSpec, { readonly name: Name }>> };

const SEED = wholeNumber("seed", 0, 2 ** 32 - 1);
const STATUS = { ...wholeNumber("status", 500, 599), fallback: HANDLER_DEFAULTS.errorStatus };

const hello = (sizeBytes: number | undefined): Answer => prepareAnswer(200, TEXT, textBody("hello\n", sizeBytes));

/** Work that is the same for every request: `before` is done, and then there is the answer. */
function sameFor(answer: Answer, before?: () => void): Work {
  return {
    perform(_task, done) {
      before?.();
      done(answer);
    },
  };
}

const KINDS: Kinds = {
  hello: {
    help: "hello[,size=SIZE]: a short text",
    fields: { sizeBytes: SIZE },
    work: ({ sizeBytes }) => sameFor(hello(sizeBytes)),
  },
  json: {
    help: "json[,size=SIZE]: a JSON document",
    fields: { sizeBytes: SIZE },
    complete(spec) {
      if (spec.sizeBytes === undefined || spec.sizeBytes >= 2) return spec;
      throw new ExpectationError("a size of at least 2 bytes, the shortest document", String(spec.sizeBytes));
    },
    work: ({ sizeBytes }) => sameFor(prepareAnswer(200, "application/json", jsonBody(sizeBytes))),
  },
  echo: {
    help: "echo: the body and content type of the request",
    fields: {},
    create: () => (request, response) => {
      response.writeHead(200, echoHeaders(request));
      // A client that goes away ends both sides and cannot be told.
      pipeline(request, response, () => undefined);
    },
    work: () => ({
      usesBody: true,
      perform({ contentType, body = "" }, done) {
        const headers = ["Content-Type", contentType || ANY_BYTES, "Content-Length", String(body.length)];
        done({ status: 200, headers, body });
      },
    }),
  },
  sleep: {
    help:
      "sleep:TIME or sleep:uniform(MIN,MAX), sleep:exponential(MEAN), sleep:normal(MEAN,STDDEV)[,seed=N][,size=SIZE]: " +
      "a short text after a delay",
    fields: { delay: DELAY, seed: SEED, sizeBytes: SIZE },
    complete(spec) {
      if (spec.delay.kind !== "fixed") return { seed: HANDLER_DEFAULTS.seed, ...spec };
      if (spec.seed === undefined) return spec;
      throw new ExpectationError("no seed for a delay that is always the same", `seed=${spec.seed}`);
    },
    work({ delay, seed = HANDLER_DEFAULTS.seed, sizeBytes }, worker) {
      const answer = hello(sizeBytes);
      return {
        draw: delaySampler(delay, seededSource(seed, worker)),
        perform: ({ drawn: delayMs = 0 }, done) => void setTimeout(done, Math.round(delayMs), answer),
      };
    },
  },
  cpu: {
    help: "cpu:TIME[,size=SIZE]: a short text after that much processor time",
    fields: { busyMs: DURATION, sizeBytes: SIZE },
    work: ({ busyMs, sizeBytes }) => sameFor(hello(sizeBytes), busyWork(busyMs)),
  },
  work: {
    help:
      "work[:TIME][,size=SIZE]: a short text after a fixed amount of work, " +
      "which takes a usual core about that time (1ms unless given)",
    fields: { workMs: { ...DURATION, fallback: HANDLER_DEFAULTS.workMs }, sizeBytes: SIZE },
    work: ({ workMs, sizeBytes }) => sameFor(hello(sizeBytes), () => doFixedWork(workMs)),
  },
  error: {
    help:
      "error:SHARE%[,status=5XX][,seed=N][,size=SIZE]: a 5xx for a share of the requests, " +
      "evenly spaced, or drawn when there is a seed",
    fields: { share: SHARE, status: STATUS, seed: SEED, sizeBytes: SIZE },
    work({ share, status, seed, sizeBytes }, worker) {
      const [succeed, fail] = [hello(sizeBytes), prepareAnswer(status, TEXT, textBody("error\n", sizeBytes))];
      const source = seededSource(seed ?? 0, worker);
      const draw = seed === undefined ? evenlySpaced(share) : () => (source() < share ? 1 : 0);
      return { draw, perform: (task, done) => done(task.drawn === 1 ? fail : succeed) };
    },
  },
  events: {
    help: "events:TIME[,size=SIZE]: a stream of server-sent events, one each TIME, until the client goes away",
    fields: { everyMs: DURATION, sizeBytes: SIZE },
    complete(spec) {
      if (spec.everyMs >= 1) return spec;
      throw new ExpectationError("a time of at least 1ms between events", `${spec.everyMs}ms`);
    },
    create:
      ({ everyMs, sizeBytes }) =>
      (request, response) =>
        drainBody(request, () => {
          response.writeHead(200, { "Content-Type": EVENTS, "Cache-Control": "no-cache" });
          if (request.method === "HEAD") return void response.end();
          const event = eventOf(sizeBytes);
          response.write(event);
          // What a client does not read is not kept for it.
          const timer = setInterval(() => response.writableNeedDrain || response.write(event), everyMs);
          response.on("close", () => clearInterval(timer));
        }),
    // Where an answer comes whole, that is one event.
    work: ({ sizeBytes }) => sameFor(prepareAnswer(200, EVENTS, eventOf(sizeBytes))),
  },
};

const EVENTS = "text/event-stream";

/** An event whose data have the given number of bytes, or are short. */
const eventOf = (sizeBytes: number | undefined): string => `data: ${textBody("hello", sizeBytes)}\n\n`;

const ANY_BYTES = "application/octet-stream";

function echoHeaders({ headers }: IncomingMessage): string[] {
  const contentType = ["Content-Type", headers["content-type"] ?? ANY_BYTES];
  // Without a length Node sends chunks, as the client did.
  if (headers["transfer-encoding"] !== undefined) return contentType;
  return [...contentType, "Content-Length", headers["content-length"] ?? "0"];
}

/** Makes what tells of each request in turn whether it is to fail: 1 for such a share of them, 0 for the others. */
export function evenlySpaced(share: number): () => number {
  let count = 0;
  // A share such as 0.29 is a little less than what was written; 29 of 100 must fail all the same.
  const failuresOf = (requests: number): number => Math.floor(requests * share + 1e-6);
  return () => failuresOf(++count) - failuresOf(count - 1);
}

const kinds: ReadonlyMap<string, HandlerKind> = new Map(Object.entries(KINDS));
const names = [...kinds.keys()].join(", ");

function kindOf({ name }: HandlerSpec): HandlerKind {
  const kind = kinds.get(name);
  if (kind === undefined) throw new HandlerSpecError(`Handler: expected one of ${names}, got "${name}".`);
  return kind;
}

/** How each handler is written and what it does, one per line. */
export function describeHandlers(): string {
  return [...kinds.values()].map(({ help }) => `  ${help}`).join("\n");
}

/**
 * What a handler's text means: `NAME[:ARGUMENT][,key=value...]`, like `sleep:10ms,size=1kB`. Throws a
 * `HandlerSpecError`.
 */
export function parseHandler(text: string): HandlerSpec {
  try {
    return understand(text);
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error;
    throw new HandlerSpecError(`Handler "${text}": ${error.message}. Handlers:\n${describeHandlers()}`);
  }
}

function understand(text: string): HandlerSpec {
  const { name, written } = splitText(text);
  const kind = kinds.get(name);
  if (kind === undefined) throw new ExpectationError(`one of ${names}`, name);
  const fields = Object.entries(kind.fields);
  const keys = fields.map(([, { key }]) => key);
  const unknown = [...written.keys()].find((key) => !keys.includes(key));
  if (unknown === "") throw new ExpectationError(`nothing after "${name}:"`, written.get(unknown));
  if (unknown !== undefined) {
    const options = keys.filter((key) => key !== "").join(", ");
    throw new ExpectationError(options === "" ? `no option for ${name}` : `an option of ${name} (${options})`, unknown);
  }
  const properties = fields.flatMap(([property, field]) => {
    const value = written.get(field.key);
    const mayBeMissing = field.key !== "" || field.fallback !== undefined;
    const understood = value === undefined && mayBeMissing ? field.fallback : field.parse(value);
    return understood === undefined ? [] : [[property, understood]];
  });
  const spec = { name, ...Object.fromEntries(properties) } as HandlerSpec;
  return kind.complete?.(spec) ?? spec;
}

/** The canonical text of a handler; `parseHandler` gives the same spec back. */
export function formatHandler(spec: HandlerSpec): string {
  const values = new Map<string, unknown>(Object.entries(spec));
  const written = Object.entries(kindOf(spec).fields).map(([property, field]) => {
    const value = values.get(property);
    if (value === undefined || value === field.fallback) return "";
    return `${field.key === "" ? ":" : `,${field.key}=`}${field.format(value)}`;
  });
  return spec.name + written.join("");
}

/** A spec that has been checked, from a spec or its text. Throws a `HandlerSpecError`. */
export function resolveHandler(handler: HandlerSpec | string): HandlerSpec {
  return parseHandler(typeof handler === "string" ? handler : formatHandler(handler));
}

/** What a handler does for its requests, with a state of its own, for servers that answer in another way. */
export function workOf(spec: HandlerSpec, worker = 0): Work {
  return kindOf(spec).work(spec, worker);
}

/**
 * A handler for `http.createServer`, with a state of its own. `worker` numbers the workers of a cluster from 0, so that
 * each draws random numbers of its own from the same seed.
 */
export function createHandler(spec: HandlerSpec, worker = 0): Handler {
  return kindOf(spec).create?.(spec) ?? workHandler(workOf(spec, worker));
}
