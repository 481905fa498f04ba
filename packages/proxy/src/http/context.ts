import {
  AnswerHead,
  createDeadlines,
  type Deadlines,
  type DirectAccess,
  READ_BYTES,
  RequestHead,
  tickFor,
} from "@lbbench/wire";
import type { Counters } from "../front.js";
import type { ResolvedBackend, ResolvedOptions } from "../options/resolve-options.js";
import { Pool } from "../pool/pool.js";
import type { Link } from "./link.js";
import { ownHeaders } from "./outgoing-head.js";

/** What all connections of a balancer share. */
export class HttpContext {
  readonly pool: Pool<Link>;
  readonly deadlines: Deadlines;
  /** How connections are read and written; `undefined`: by the public interface of sockets only. */
  access: DirectAccess | undefined;
  /** The port that clients connect to; `undefined` for a Unix socket. */
  port: number | undefined;
  /** One for all: what has been read is looked at before anything else is. */
  readonly requestHead: RequestHead;
  readonly answerHead: AnswerHead;
  /** Names in lower case of headers of requests that the balancer says itself, or that are not passed on. */
  readonly ownNames: ReadonlySet<string>;
  /** Memory that all clients are read into. What is needed after a piece has been looked at is copied. */
  readonly clientMemory = Buffer.allocUnsafeSlow(READ_BYTES);
  /** Set when the balancer closes: clients are then asked to close their connections. */
  closing = false;
  /** Counts a request that no backend was given. */
  readonly onRefused: (status: number) => void;
  /** Counts a request for which this machine could make no connection; `code` is the system's. */
  readonly onShortage: (code: string) => void;

  constructor(
    readonly options: ResolvedOptions,
    { onRefused, onShortage, onOutlier }: Counters,
    openLink: (context: HttpContext, backend: ResolvedBackend) => Link,
  ) {
    const { timeouts, backendHeader } = options;
    const { headBytes, headLines } = options.limits;
    const own = ownHeaders(options);
    const dropped = backendHeader === false ? [] : [backendHeader.toLowerCase()];
    this.deadlines = createDeadlines(tickFor(Object.values(timeouts)));
    this.requestHead = new RequestHead({ headBytes, headLines, ...own });
    this.answerHead = new AnswerHead({ headBytes, headLines, dropped });
    this.ownNames = new Set([...own.dropped, ...own.taken]);
    this.onRefused = (status) => onRefused(String(status));
    this.onShortage = onShortage;
    this.pool = new Pool<Link>({
      ...options,
      onShortage,
      onOutlier,
      openLink: (backend) => openLink(this, backend),
      closeLink: (link) => link.close(),
    });
  }
}
