import { expect, it } from "vitest";
import { keptOutput } from "./kept-output.js";

it("keeps what was printed, complaints last, the middle of much of it left out", () => {
  const stderr = [
    { line: "once", count: 1 },
    { line: "often", count: 3 },
  ];
  expect(keptOutput({ stdout: "one\ntwo\n\n", stderr })).toBe("one\ntwo\nonce\noften [3 times]");
  const long = keptOutput({
    stdout: Array.from({ length: 2500 }, (_, index) => `line ${index}`).join("\n"),
    stderr: [],
  });
  expect(long).toMatch(/^line 0\n[^]*line 999\n\[500 lines left out\]\nline 1500\n[^]*line 2499$/);
  expect(keptOutput({ stdout: "x".repeat(5000), stderr: [] })).toHaveLength(1006);
});
