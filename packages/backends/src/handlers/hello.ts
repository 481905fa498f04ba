import type { HelloSpec } from "../handler-spec.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { textBody } from "./body-text.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";
import { workHandler } from "./work-handler.js";
import { drawNothing } from "./work.js";

/** Answers with a short text, as fast as a server in Node can. */
export const helloHandler: HandlerKind<HelloSpec> = {
  name: "hello",
  usage: "hello[,size=SIZE]",
  summary: "a short text",
  takesArgument: false,
  options: ["size"],
  parse: ({ options }) => ({ name: "hello", ...readSize(options) }),
  format: (spec) => ({ name: "hello", options: new Map(writeSize(spec)) }),
  create: (spec, worker) => workHandler(helloHandler.work(spec, worker)),
  work(spec) {
    const answer = prepareAnswer(200, "text/plain; charset=utf-8", textBody("hello\n", spec.sizeBytes));
    return { usesBody: false, draw: drawNothing, perform: (_task, done) => done(answer) };
  },
};
