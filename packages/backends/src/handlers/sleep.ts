import { HANDLER_DEFAULTS } from "../defaults.js";
import type { SleepSpec } from "../handler-spec.js";
import { delaySampler } from "../random/delay-sampler.js";
import { seededSource } from "../random/seeded-source.js";
import { formatDelay, parseDelay } from "../spec/delay.js";
import { ExpectationError } from "../spec/expectation-error.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { parseSeed } from "../spec/whole-number.js";
import { textBody } from "./body-text.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";
import { workHandler } from "./work-handler.js";

/** Answers after a delay. Timers of Node keep it to about a millisecond. */
export const sleepHandler: HandlerKind<SleepSpec> = {
  name: "sleep",
  usage:
    "sleep:TIME or sleep:uniform(MIN,MAX), sleep:exponential(MEAN), sleep:normal(MEAN,STDDEV)[,seed=N][,size=SIZE]",
  summary: "a short text after a delay",
  takesArgument: true,
  options: ["seed", "size"],
  parse({ argument, options }) {
    const delay = parseDelay(argument);
    const seed = options.get("seed");
    if (delay.kind === "fixed" && seed !== undefined) {
      throw new ExpectationError("no seed for a delay that is always the same", `seed=${seed}`);
    }
    return {
      name: "sleep",
      delay,
      ...(delay.kind === "fixed" ? {} : { seed: seed === undefined ? HANDLER_DEFAULTS.seed : parseSeed(seed) }),
      ...readSize(options),
    };
  },
  format(spec) {
    const seed = spec.seed === undefined ? [] : [["seed", String(spec.seed)] as const];
    return { name: "sleep", argument: formatDelay(spec.delay), options: new Map([...seed, ...writeSize(spec)]) };
  },
  create: (spec, worker) => workHandler(sleepHandler.work(spec, worker)),
  work({ delay, seed = HANDLER_DEFAULTS.seed, sizeBytes }, worker) {
    const answer = prepareAnswer(200, "text/plain; charset=utf-8", textBody("hello\n", sizeBytes));
    return {
      usesBody: false,
      draw: delaySampler(delay, seededSource(seed, worker)),
      perform: ({ drawn: delayMs }, done) => void setTimeout(done, Math.round(delayMs), answer),
    };
  },
};
