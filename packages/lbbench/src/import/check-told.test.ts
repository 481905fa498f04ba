import { describe, expect, it } from "vitest";
import { keptText } from "./test-support/kept-output.js";
import { readText } from "./test-support/read-text.js";

const COMMAND = "$ hey -n 500 -c 20 http://a/\n";

describe("what is said beside a file", () => {
  it.each([
    ["ab", keptText("ab/slow"), 20],
    ["wrk", keptText("wrk/plain"), 10],
    ["autocannon", keptText("autocannon/timed"), 10],
    ["k6", keptText("k6/slow-data"), 10],
    ["hey", `${COMMAND}${keptText("hey/slow")}`, 20],
  ])("does not overrule the connections that the output of %s tells", (program, text, connections) => {
    expect(() => readText(text, { connections: 77 })).toThrow(
      new RegExp(
        `^saved\\.txt:[\\d-]+: expected a run with 77 connections, as --connections says, and ${program} had ${connections}\\.`,
      ),
    );
    expect(readText(text, { connections })[0]).toMatchObject({ connections });
  });

  it("may be the connections of autocannon, or what is under way on them", () => {
    const text = keptText("autocannon/timed").replace('"pipelining":1', '"pipelining":4');
    for (const connections of [10, 40]) expect(readText(text, { connections })[0]).toMatchObject({ connections: 40 });
  });

  it.each([
    ["ab", keptText("ab/timed"), 1000],
    ["autocannon", keptText("autocannon/timed"), 2000],
    ["k6", keptText("k6/slow-data"), 2000],
    ["hey", `$ hey -c 10 http://a/\n${keptText("hey/slow")}`, 800],
  ])("is a time that %s took, or an error", (program, text, durationMs) => {
    expect(readText(text, { durationMs })[0]?.amount).toEqual({ durationMs });
    for (const other of [durationMs * 3, 3_600_000, durationMs / 20]) {
      expect(() => readText(text, { durationMs: other })).toThrow(
        new RegExp(
          `^saved\\.txt:[\\d-]+: expected a run of ${other} ms, as --duration says, and ${program} took \\d+ ms\\.`,
        ),
      );
    }
  });

  it.each([
    ["wrk", keptText("wrk/plain"), "ms"],
    ["ab", `$ ab -t 1 -c 5 http://a/\n${keptText("ab/timed")}`, "1000 ms"],
    ["ab", `$ ab -n 600 -c 20 http://a/\n${keptText("ab/slow")}`, "600 requests"],
    ["hey", `${COMMAND}${keptText("hey/slow")}`, "500 requests"],
  ])("does not overrule the amount that was asked of %s", (program, text, amount) => {
    expect(() => readText(text, { durationMs: 950 })).toThrow(
      new RegExp(
        `^saved\\.txt:[\\d-]+: expected a run of 950 ms, as --duration says, and ${program} was asked for .*${amount}\\.`,
      ),
    );
  });

  it("says at what level ab gave up, where there is no command", () => {
    const text = keptText("../refused-output/gave-up");
    expect(readText(text, { connections: 400, durationMs: 2000 })[0]).toMatchObject({
      connections: 400,
      amount: { durationMs: 2000 },
      failure: expect.stringContaining("refused"),
    });
  });

  it("ends a run of ab by time at the most requests that it sends, and is then a run of so many", () => {
    const text = keptText("ab/slow");
    expect(readText(`$ ab -t 60 -n 600 -c 20 http://a/\n${text}`)[0]?.amount).toEqual({ requests: 600 });
    expect(readText(`$ ab -t 1 -n 700 -c 20 http://a/\n${text}`)[0]?.amount).toEqual({ durationMs: 1000 });
  });
});
