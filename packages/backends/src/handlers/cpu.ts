import type { CpuSpec } from "../handler-spec.js";
import { formatDuration, parseDuration } from "../spec/duration.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { textBody } from "./body-text.js";
import { keepProcessorBusy } from "./busy-processor.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";
import { createProcessorClock } from "./processor-clock.js";
import { workHandler } from "./work-handler.js";
import { drawNothing } from "./work.js";

/** Answers after a given amount of work. */
export const cpuHandler: HandlerKind<CpuSpec> = {
  name: "cpu",
  usage: "cpu:TIME[,size=SIZE]",
  summary: "a short text after that much processor time",
  takesArgument: true,
  options: ["size"],
  parse: ({ argument, options }) => ({ name: "cpu", busyMs: parseDuration(argument), ...readSize(options) }),
  format: (spec) => ({ name: "cpu", argument: formatDuration(spec.busyMs), options: new Map(writeSize(spec)) }),
  create: (spec, worker) => workHandler(cpuHandler.work(spec, worker)),
  work({ busyMs, sizeBytes }) {
    const answer = prepareAnswer(200, "text/plain; charset=utf-8", textBody("hello\n", sizeBytes));
    const clock = createProcessorClock();
    return {
      usesBody: false,
      draw: drawNothing,
      perform(_task, done) {
        keepProcessorBusy(busyMs, clock);
        done(answer);
      },
    };
  },
};
