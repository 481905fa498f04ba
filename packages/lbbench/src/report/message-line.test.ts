import { expect, test } from "vitest";
import { isLong, messageLine } from "./message-line.js";

const STACK = [
  'The process "backend-1" ended unexpectedly with exit code 1; it last printed:',
  "  node:internal/modules/package_json_reader:93",
  "        throw error;",
  "        ^",
  "  SyntaxError: Error parsing package.json: Expected double-quoted property name",
  ...Array.from({ length: 6 }, (_, at) => `      at read (node:internal/modules/reader:${at}:16)`),
  "  Node.js v20.20.2",
].join("\n");

test("of what a program printed the line that says why is told, not its stack", () => {
  expect(messageLine(STACK)).toBe(
    'The process "backend-1" ended unexpectedly with exit code 1; it last printed: SyntaxError: Error parsing package.json: Expected double-quoted property name',
  );
  expect(isLong(STACK)).toBe(true);
});

test("a short message is told as a whole, a long one of one line too", () => {
  expect(messageLine("It ended; it last printed:\n  out of memory")).toBe("It ended; it last printed: out of memory");
  expect(messageLine("x".repeat(300))).toBe("x".repeat(300));
});

test("of others the first line is told, if it is whole", () => {
  expect(messageLine(`It is gone.\n${"more ".repeat(60)}`)).toBe("It is gone.");
  expect(messageLine(`It said:\n${"more ".repeat(60)}\nlast`)).toBe(`It said: ${"more ".repeat(60).trim()}`);
});
