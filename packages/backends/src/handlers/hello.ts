import type { HelloSpec } from "../handler-spec.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { textBody } from "./body-text.js";
import { drainBody } from "./drain-body.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";

/** Answers with a short text, as fast as a server in Node can. */
export const helloHandler: HandlerKind<HelloSpec> = {
  name: "hello",
  usage: "hello[,size=SIZE]",
  summary: "a short text",
  takesArgument: false,
  options: ["size"],
  parse: ({ options }) => ({ name: "hello", ...readSize(options) }),
  format: (spec) => ({ name: "hello", options: new Map(writeSize(spec)) }),
  create(spec) {
    const answer = prepareAnswer(200, "text/plain; charset=utf-8", textBody("hello\n", spec.sizeBytes));
    return (request, response) => drainBody(request, () => answer(response));
  },
};
