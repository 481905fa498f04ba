import { drainBody } from "./drain-body.js";
import type { Handler } from "./handler-kind.js";
import { sendAnswer } from "./send-answer.js";
import type { Work } from "./work.js";

/** A handler that does the work where it is called, as soon as a request has come whole. */
export function workHandler({ draw, perform }: Work): Handler {
  return (request, response) => {
    // Drawn when the request comes, so that the order of what is drawn is the order of the requests.
    const task = { drawn: draw() };
    drainBody(request, () => perform(task, (answer) => sendAnswer(response, answer)));
  };
}
