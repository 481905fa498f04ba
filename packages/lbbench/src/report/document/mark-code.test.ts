import { expect, test } from "vitest";
import { aScenario } from "../../test-support/fixtures.js";
import { markCode } from "./mark-code.js";

const threshold = { source: "p99<1s", metric: "p99", operator: "<", value: 1000 } as const;
const scenario = aScenario({
  targets: ["single", "a [NON_2XX] ~ http://b.test/", "http://c.test:80/x"].map((name) => ({
    name,
    server: "single",
    options: {},
  })),
  thresholds: [threshold],
});
const codesOf = (text: string): readonly string[] => {
  const runs = markCode(text, scenario);
  return typeof runs === "string" ? [] : runs.flatMap((run) => (typeof run === "string" ? [] : [run.text]));
};

test("codes of findings, addresses, thresholds and ~ are marked, and the words around them stay", () => {
  expect(markCode("nothing (~) at 1 (busy [MACHINE_SATURATED]).", scenario)).toEqual([
    "nothing (",
    { kind: "code", text: "~" },
    ") at 1 (busy ",
    { kind: "code", text: "MACHINE_SATURATED" },
    ").",
  ]);
  expect(codesOf("threshold p99<1s does not hold: see http://127.0.0.1:80/x?y=1.")).toEqual([
    "p99<1s",
    "http://127.0.0.1:80/x?y=1",
  ]);
});

test("a text without any of these stays a text, and what only looks like one is not marked", () => {
  expect(markCode("single at 5 connections", scenario)).toBe("single at 5 connections");
  expect(codesOf("[NO_SUCH_CODE], a~b, xp99<1s")).toEqual([]);
});

test("the name of a target stays as it is, unless it is an address", () => {
  expect(codesOf("a [NON_2XX] ~ http://b.test/ at 1: too slow (~)")).toEqual(["~"]);
  expect(codesOf("http://c.test:80/x: ~")).toEqual(["http://c.test:80/x", "~"]);
});
