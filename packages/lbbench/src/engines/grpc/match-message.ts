import type { MessageType } from "./read-message.js";
import { isDeepStrictEqual } from "node:util";

/**
 * Whether the bytes of an answer are the expected message. Messages are compared, not bytes: fields may come in another
 * order, and what has its default value may be written or left out. With `null` any answer will do.
 */
export function matchMessage(expected: Buffer | null, { deserialize }: MessageType): (answer: Buffer) => boolean {
  if (expected === null) return () => true;
  const message = deserialize(expected);
  let known = expected;
  return (answer) => {
    if (known.equals(answer)) return true;
    const same = isSameMessage(answer, message, deserialize);
    // A server writes the same message in the same way: the next one need not be read again.
    if (same) known = answer;
    return same;
  };
}

function isSameMessage(answer: Buffer, message: object, deserialize: MessageType["deserialize"]): boolean {
  try {
    return isDeepStrictEqual(deserialize(answer), message);
  } catch {
    return false;
  }
}
