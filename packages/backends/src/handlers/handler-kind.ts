import type { IncomingMessage, ServerResponse } from "node:http";
import type { HandlerSpec } from "../handler-spec.js";
import type { SpecText } from "../spec/spec-text.js";
import type { Work } from "./work.js";

/** Answers requests; what `http.createServer` takes. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** One kind of handler: how it is written, and what it does. Methods, so that kinds of all specs fit in one map. */
export interface HandlerKind<Spec extends HandlerSpec = HandlerSpec> {
  readonly name: Spec["name"];
  /** How it is written, with the options that it takes. */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Whether there is something after the colon. */
  readonly takesArgument: boolean;
  /** Names of its options. */
  readonly options: readonly string[];
  /** Understands the text; throws an `ExpectationError`. */
  parse(text: SpecText): Spec;
  /** The reverse of `parse`. */
  format(spec: Spec): SpecText;
  /** What it does for a request, for who answers requests in threads; `worker` as for `create`. */
  work(spec: Spec, worker: number): Work;
  /** Makes the handler; `worker` numbers the workers of a cluster, so that each draws numbers of its own. */
  create(spec: Spec, worker: number): Handler;
}
