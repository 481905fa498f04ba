/** A backend's answer that cannot be passed on; the message ends a sentence that begins with `sent an answer: `. */
export class InvalidAnswerError extends Error {
  override readonly name = "InvalidAnswerError";
}
