import { expect, it } from "vitest";
import { trailerLines } from "./trailers.js";

it.each([
  [
    "keeps the spelling, the order and the repetition",
    ["X-A", "1", "x-b", "2", "X-A", "3"],
    "X-A: 1\r\nx-b: 2\r\nX-A: 3\r\n",
  ],
  ["leaves out what would change how a message is read", ["Content-Length", "1", "transfer-encoding", "chunked"], ""],
  ["leaves out a Set-Cookie and a Host", ["Set-Cookie", "a", "HOST", "b", "X-A", "1"], "X-A: 1\r\n"],
  ["leaves out a value that cannot be sent", ["X-A", "1\r\nX-B: 2", "X-C", "3"], "X-C: 3\r\n"],
])("trailerLines %s", (_, raw, lines) => {
  expect(trailerLines(raw)).toBe(lines);
});
