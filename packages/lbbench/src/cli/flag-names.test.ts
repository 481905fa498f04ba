import { expect, test } from "vitest";
import { parseSweepInput } from "../index.js";
import { nameFlag } from "./flag-names.js";

test("a setting that is wrong is named by the flag that it was given with", () => {
  const input = {
    connections: "x",
    thresholds: ["p99<1ms", "fast"],
    request: { method: "G T", headers: { "a b": "c" } },
  };
  expect(() => parseSweepInput(input, nameFlag)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^-c, --connections: [^]*^-m, --method: [^]*^-H, --header: [^]*^--threshold: /m),
    }),
  );
});
