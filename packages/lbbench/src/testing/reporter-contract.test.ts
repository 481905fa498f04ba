import { describe, expect, it } from "vitest";
import type { Reporter } from "../plugin.js";
import { REPORTERS } from "../report/reporters.js";
import { reporterContract } from "./reporter-contract.js";

/** Drawing takes seconds; whole sweeps of pictures are drawn where pictures are tested. */
const isQuick = (format: string, name: string): boolean => format !== "png" || !/whole sweep/.test(name);

describe.each([...REPORTERS.values()])("reporter $format", (reporter) => {
  it.each(reporterContract(reporter).filter(({ name }) => isQuick(reporter.format, name)))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("the contract of reporters", () => {
  const names = reporterContract({ format: "text", render: () => [] }).map(({ name }) => name);
  const NAMES = names.filter((name) => name.endsWith("to files with plain names"));
  const BYTES = names.filter((name) => name.endsWith("twice to the same bytes"));
  let calls = 0;

  it.each<[string, Reporter["render"], readonly string[]]>([
    ["writes to a path", () => [{ name: "../report.txt", content: "" }], NAMES],
    ["hides a file", () => [{ name: ".report", content: "" }], NAMES],
    ["gives two files one name", () => [1, 2].map(() => ({ name: "report.txt", content: "" })), NAMES],
    ["is not pure", () => [{ name: "report.txt", content: String((calls += 1)) }], BYTES],
    ["has nothing to say of what was measured", () => [], NAMES.filter((name) => /whole sweep|single step/.test(name))],
    [
      "cannot do without steps",
      ({ steps: [first] }) => [{ name: "report.txt", content: (first as NonNullable<typeof first>).target }],
      names.filter((name) => name.includes("without steps")),
    ],
  ])("notices one that %s", async (_, render, expected) => {
    const cases = reporterContract({ format: "text", render });
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    expect(names.filter((_name, index) => outcomes[index]?.status === "rejected")).toEqual(expected);
  });
});
