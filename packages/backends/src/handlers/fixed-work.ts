import { createHash } from "node:crypto";
import { HANDLER_DEFAULTS } from "../defaults.js";
import type { WorkSpec } from "../handler-spec.js";
import { formatDuration, parseDuration } from "../spec/duration.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { textBody } from "./body-text.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";
import { workHandler } from "./work-handler.js";
import { drawNothing } from "./work.js";

/**
 * What is hashed for a millisecond: 50 pieces of 16 kB, which a core at about 3 GHz does in a millisecond. SHA-512, because few
 * processors have instructions of their own for it, so that usual cores differ by no more than their clock.
 */
const PIECES_PER_MS = 50;
const PIECE = Buffer.alloc(16 * 1024, "lbbench");

/**
 * Answers after a fixed amount of work. Where `cpu` uses a fixed time of the processor, this takes longer on a core that is slower
 * or shared by two threads, as real work does: the gain from more processes is then that of the machine.
 */
export const fixedWorkHandler: HandlerKind<WorkSpec> = {
  name: "work",
  usage: "work[:TIME][,size=SIZE]",
  summary: "a short text after a fixed amount of work, which takes a usual core about that time (1ms unless given)",
  takesArgument: true,
  options: ["size"],
  parse: ({ argument, options }) => ({
    name: "work",
    workMs: argument === undefined ? HANDLER_DEFAULTS.workMs : parseDuration(argument),
    ...readSize(options),
  }),
  format(spec) {
    const argument = spec.workMs === HANDLER_DEFAULTS.workMs ? {} : { argument: formatDuration(spec.workMs) };
    return { name: "work", ...argument, options: new Map(writeSize(spec)) };
  },
  create: (spec, worker) => workHandler(fixedWorkHandler.work(spec, worker)),
  work({ workMs, sizeBytes }) {
    const answer = prepareAnswer(200, "text/plain; charset=utf-8", textBody("hello\n", sizeBytes));
    const pieces = Math.round(workMs * PIECES_PER_MS);
    return {
      usesBody: false,
      draw: drawNothing,
      perform(_task, done) {
        const hash = createHash("sha512");
        for (let piece = 0; piece < pieces; piece += 1) hash.update(PIECE);
        hash.digest();
        done(answer);
      },
    };
  },
};
