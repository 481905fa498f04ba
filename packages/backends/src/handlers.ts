/** What the sample servers can do with a request: one entry a kind, with how it is written and what it does. */
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { HANDLER_DEFAULTS } from "./defaults.js";
import {
  createProcessorClock,
  delaySampler,
  doFixedWork,
  keepProcessorBusy,
  seededSource,
  type Delay,
} from "./costs.js";
import {
  ExpectationError,
  formatDelay,
  formatDuration,
  formatShare,
  joinText,
  parseDelay,
  parseDuration,
  parseSeed,
  parseShare,
  parseSize,
  parseWholeNumber,
  splitText,
  type HandlerText,
} from "./handler-text.js";
import { jsonBody, prepareAnswer, TEXT, textBody, workHandler, type Answer, type Handler, type Work } from "./work.js";

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

/** Answers after work of a fixed amount, whatever time that takes. */
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

/** What a sample server does with a request, as plain data. */
export type HandlerSpec = HelloSpec | JsonSpec | EchoSpec | SleepSpec | CpuSpec | WorkSpec | ErrorSpec;

/** A handler that cannot be understood; the message says what was expected, what came, and which handlers there are. */
export class HandlerSpecError extends Error {
  override readonly name = "HandlerSpecError";
}

/** One kind of handler; the name and the size, which several have, are dealt with for all. */
interface HandlerKind<Spec extends HandlerSpec = HandlerSpec> {
  /** How it is written, with the options that it takes. */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Whether there may be something after the colon. */
  readonly takesArgument: boolean;
  /** Names of its options. */
  readonly options: readonly string[];
  /** Understands the rest of the text; throws an `ExpectationError`. */
  parse(text: HandlerText): Omit<Spec, "name" | "sizeBytes">;
  /** The reverse of `parse`: argument and options; what is `undefined` is left out. */
  format(spec: Spec): { readonly argument?: string | undefined; readonly [option: string]: string | undefined };
  /** What it does for a request; `worker` numbers the workers of a cluster, so that each draws numbers of its own. */
  work(spec: Spec, worker: number): Work;
  /** The handler, where it does not do its work on requests that have come whole. */
  create?(spec: Spec): Handler;
}

type Kinds = { readonly [Name in HandlerSpec["name"]]: HandlerKind<Extract<HandlerSpec, { readonly name: Name }>> };

const hello = (sizeBytes: number | undefined): Answer => prepareAnswer(200, TEXT, textBody("hello\n", sizeBytes));

/** Work that is the same for every request: `before` is done, and then there is the answer. */
function sameFor(answer: Answer, before: () => void = () => undefined): Work {
  return {
    usesBody: false,
    draw: () => 0,
    perform(_task, done) {
      before();
      done(answer);
    },
  };
}

const KINDS: Kinds = {
  hello: {
    usage: "hello[,size=SIZE]",
    summary: "a short text",
    takesArgument: false,
    options: ["size"],
    parse: () => ({}),
    format: () => ({}),
    work: ({ sizeBytes }) => sameFor(hello(sizeBytes)),
  },
  json: {
    usage: "json[,size=SIZE]",
    summary: "a JSON document",
    takesArgument: false,
    options: ["size"],
    parse({ options }) {
      const size = options.get("size");
      if (size === undefined || parseSize(size) >= 2) return {};
      throw new ExpectationError("a size of at least 2 bytes, the shortest document", size);
    },
    format: () => ({}),
    work: ({ sizeBytes }) => sameFor(prepareAnswer(200, "application/json", jsonBody(sizeBytes))),
  },
  echo: {
    usage: "echo",
    summary: "the body and content type of the request",
    takesArgument: false,
    options: [],
    parse: () => ({}),
    format: () => ({}),
    create: () => (request, response) => {
      response.writeHead(200, echoHeaders(request));
      // A client that goes away ends both sides; there is nobody left to tell.
      pipeline(request, response, () => undefined);
    },
    work: () => ({
      usesBody: true,
      draw: () => 0,
      perform({ contentType = ANY_BYTES, body = "" }, done) {
        done({ status: 200, headers: ["Content-Type", contentType, "Content-Length", String(body.length)], body });
      },
    }),
  },
  sleep: {
    usage:
      "sleep:TIME or sleep:uniform(MIN,MAX), sleep:exponential(MEAN), sleep:normal(MEAN,STDDEV)[,seed=N][,size=SIZE]",
    summary: "a short text after a delay",
    takesArgument: true,
    options: ["seed", "size"],
    parse({ argument, options }) {
      const delay = parseDelay(argument);
      const seed = options.get("seed");
      if (delay.kind !== "fixed") return { delay, seed: seed === undefined ? HANDLER_DEFAULTS.seed : parseSeed(seed) };
      if (seed === undefined) return { delay };
      throw new ExpectationError("no seed for a delay that is always the same", `seed=${seed}`);
    },
    format: ({ delay, seed }) => ({ argument: formatDelay(delay), seed: seed?.toString() }),
    work({ delay, seed = HANDLER_DEFAULTS.seed, sizeBytes }, worker) {
      const answer = hello(sizeBytes);
      return {
        usesBody: false,
        draw: delaySampler(delay, seededSource(seed, worker)),
        // Timers of Node keep it to about a millisecond.
        perform: ({ drawn: delayMs }, done) => void setTimeout(done, Math.round(delayMs), answer),
      };
    },
  },
  cpu: {
    usage: "cpu:TIME[,size=SIZE]",
    summary: "a short text after that much processor time",
    takesArgument: true,
    options: ["size"],
    parse: ({ argument }) => ({ busyMs: parseDuration(argument) }),
    format: ({ busyMs }) => ({ argument: formatDuration(busyMs) }),
    work({ busyMs, sizeBytes }) {
      const clock = createProcessorClock();
      return sameFor(hello(sizeBytes), () => keepProcessorBusy(busyMs, clock));
    },
  },
  work: {
    usage: "work[:TIME][,size=SIZE]",
    summary: "a short text after a fixed amount of work, which takes a usual core about that time (1ms unless given)",
    takesArgument: true,
    options: ["size"],
    parse: ({ argument }) => ({
      workMs: argument === undefined ? HANDLER_DEFAULTS.workMs : parseDuration(argument),
    }),
    format: ({ workMs }) => ({
      argument: workMs === HANDLER_DEFAULTS.workMs ? undefined : formatDuration(workMs),
    }),
    work: ({ workMs, sizeBytes }) => sameFor(hello(sizeBytes), () => doFixedWork(workMs)),
  },
  error: {
    usage: "error:SHARE%[,status=5XX][,seed=N][,size=SIZE]",
    summary: "a 5xx for a share of the requests, evenly spaced, or drawn when there is a seed",
    takesArgument: true,
    options: ["status", "seed", "size"],
    parse({ argument, options }) {
      const status = options.get("status");
      const seed = options.get("seed");
      return {
        share: parseShare(argument),
        status: status === undefined ? HANDLER_DEFAULTS.errorStatus : parseWholeNumber(status, "a status", 500, 599),
        ...(seed === undefined ? {} : { seed: parseSeed(seed) }),
      };
    },
    format: ({ share, status, seed }) => ({
      argument: formatShare(share),
      status: status === HANDLER_DEFAULTS.errorStatus ? undefined : String(status),
      seed: seed?.toString(),
    }),
    work({ share, status, seed, sizeBytes }, worker) {
      const [succeed, fail] = [hello(sizeBytes), prepareAnswer(status, TEXT, textBody("error\n", sizeBytes))];
      const draw = seed === undefined ? evenlySpaced(share) : drawn(share, seededSource(seed, worker));
      return { usesBody: false, draw, perform: (task, done) => done(task.drawn === 1 ? fail : succeed) };
    },
  },
};

const ANY_BYTES = "application/octet-stream";

function echoHeaders({ headers }: IncomingMessage): string[] {
  const contentType = ["Content-Type", headers["content-type"] ?? ANY_BYTES];
  // Without a length Node sends chunks, as the client did.
  if (headers["transfer-encoding"] !== undefined) return contentType;
  return [...contentType, "Content-Length", headers["content-length"] ?? "0"];
}

/** 1 for each request that is to fail. */
function evenlySpaced(share: number): () => number {
  let count = 0;
  // A share such as 0.29 is a little less than what was written; 29 of 100 must fail all the same.
  const failuresOf = (requests: number): number => Math.floor(requests * share + 1e-6);
  return () => failuresOf(++count) - failuresOf(count - 1);
}

function drawn(share: number, source: () => number): () => number {
  return () => (source() < share ? 1 : 0);
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
  return [...kinds.values()].map(({ usage, summary }) => `  ${usage}: ${summary}`).join("\n");
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
  const parts = splitText(text);
  const { name, argument, options } = parts;
  const kind = kinds.get(name);
  if (kind === undefined) throw new ExpectationError(`one of ${names}`, name);
  if (!kind.takesArgument && argument !== undefined) throw new ExpectationError(`nothing after "${name}:"`, argument);
  const unknown = [...options.keys()].find((key) => !kind.options.includes(key));
  if (unknown !== undefined) {
    const some = `an option of ${name} (${kind.options.join(", ")})`;
    throw new ExpectationError(kind.options.length === 0 ? `no option for ${name}` : some, unknown);
  }
  const size = options.get("size");
  const own = kind.parse(parts);
  return { name, ...own, ...(size === undefined ? {} : { sizeBytes: parseSize(size) }) } as HandlerSpec;
}

/** The canonical text of a handler; `parseHandler` gives the same spec back. */
export function formatHandler(spec: HandlerSpec): string {
  const { argument, ...own } = kindOf(spec).format(spec);
  const size = "sizeBytes" in spec ? spec.sizeBytes?.toString() : undefined;
  const options = Object.entries({ ...own, size }).flatMap(([key, value]): readonly (readonly [string, string])[] =>
    value === undefined ? [] : [[key, value]],
  );
  return joinText({ name: spec.name, argument, options: new Map(options) });
}

/** A spec that has been checked, from a spec or its text. Throws a `HandlerSpecError`. */
export function resolveHandler(handler: HandlerSpec | string): HandlerSpec {
  return parseHandler(typeof handler === "string" ? handler : formatHandler(handler));
}

/** What a handler does for its requests, with a state of its own, for who answers them in another way. */
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
