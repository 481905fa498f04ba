import { HANDLER_DEFAULTS } from "../defaults.js";
import type { ErrorSpec } from "../handler-spec.js";
import { seededSource } from "../random/seeded-source.js";
import { formatShare, parseShare } from "../spec/share.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { parseSeed, parseWholeNumber } from "../spec/whole-number.js";
import { textBody } from "./body-text.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";
import { workHandler } from "./work-handler.js";

/** Answers a share of the requests with a 5xx. */
export const errorHandler: HandlerKind<ErrorSpec> = {
  name: "error",
  usage: "error:SHARE%[,status=5XX][,seed=N][,size=SIZE]",
  summary: "a 5xx for a share of the requests, evenly spaced, or drawn when there is a seed",
  takesArgument: true,
  options: ["status", "seed", "size"],
  parse({ argument, options }) {
    const status = options.get("status");
    const seed = options.get("seed");
    return {
      name: "error",
      share: parseShare(argument),
      status: status === undefined ? HANDLER_DEFAULTS.errorStatus : parseWholeNumber(status, "a status", 500, 599),
      ...(seed === undefined ? {} : { seed: parseSeed(seed) }),
      ...readSize(options),
    };
  },
  format(spec) {
    const status = spec.status === HANDLER_DEFAULTS.errorStatus ? [] : [["status", String(spec.status)] as const];
    const seed = spec.seed === undefined ? [] : [["seed", String(spec.seed)] as const];
    return {
      name: "error",
      argument: formatShare(spec.share),
      options: new Map([...status, ...seed, ...writeSize(spec)]),
    };
  },
  create: (spec, worker) => workHandler(errorHandler.work(spec, worker)),
  work({ share, status, seed, sizeBytes }, worker) {
    const succeed = prepareAnswer(200, "text/plain; charset=utf-8", textBody("hello\n", sizeBytes));
    const fail = prepareAnswer(status, "text/plain; charset=utf-8", textBody("error\n", sizeBytes));
    const nextFails = seed === undefined ? evenlySpaced(share) : drawn(share, seededSource(seed, worker));
    return {
      usesBody: false,
      draw: () => (nextFails() ? 1 : 0),
      perform: ({ drawn }, done) => done(drawn === 1 ? fail : succeed),
    };
  },
};

function evenlySpaced(share: number): () => boolean {
  let count = 0;
  // A share such as 0.29 is a little less than what was written; 29 of 100 must fail all the same.
  const failuresOf = (requests: number): number => Math.floor(requests * share + 1e-6);
  return () => {
    count += 1;
    return failuresOf(count) > failuresOf(count - 1);
  };
}

function drawn(share: number, source: () => number): () => boolean {
  return () => source() < share;
}
