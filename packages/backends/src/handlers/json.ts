import type { JsonSpec } from "../handler-spec.js";
import { ExpectationError } from "../spec/expectation-error.js";
import { readSize, writeSize } from "../spec/size-option.js";
import { jsonBody } from "./body-text.js";
import type { HandlerKind } from "./handler-kind.js";
import { prepareAnswer } from "./prepared-answer.js";
import { workHandler } from "./work-handler.js";
import { drawNothing } from "./work.js";

/** Answers with a JSON document. */
export const jsonHandler: HandlerKind<JsonSpec> = {
  name: "json",
  usage: "json[,size=SIZE]",
  summary: "a JSON document",
  takesArgument: false,
  options: ["size"],
  parse({ options }) {
    const size = readSize(options);
    if (size.sizeBytes !== undefined && size.sizeBytes < 2) {
      throw new ExpectationError("a size of at least 2 bytes, the shortest document", options.get("size"));
    }
    return { name: "json", ...size };
  },
  format: (spec) => ({ name: "json", options: new Map(writeSize(spec)) }),
  create: (spec, worker) => workHandler(jsonHandler.work(spec, worker)),
  work(spec) {
    const answer = prepareAnswer(200, "application/json", jsonBody(spec.sizeBytes));
    return { usesBody: false, draw: drawNothing, perform: (_task, done) => done(answer) };
  },
};
