/** A delay: always the same, or drawn from a distribution. All in ms. */
export type Delay =
  | { readonly kind: "fixed"; readonly ms: number }
  | { readonly kind: "uniform"; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: "exponential"; readonly meanMs: number }
  /** Never negative: what would be, is 0. */
  | { readonly kind: "normal"; readonly meanMs: number; readonly stddevMs: number };

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
