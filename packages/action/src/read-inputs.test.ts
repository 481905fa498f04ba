import { describe, expect, it } from "vitest";
import { readInputs } from "./read-inputs.js";

function read(given: Readonly<Record<string, string>> = {}) {
  const inputs = new Map(Object.entries(given));
  return readInputs((name) => inputs.get(name) ?? "");
}

describe("readInputs", () => {
  it("says nothing over the config file where nothing is given", () => {
    expect(read()).toEqual({
      workingDirectory: ".",
      config: undefined,
      targets: [],
      settings: {},
      baseline: undefined,
      comments: true,
      commentKey: undefined,
      token: undefined,
      failOn: new Set(["fail", "inconclusive"]),
    });
  });

  it("reads lists, numbers, switches and conditions, one per line", () => {
    const { targets, settings } = read({
      url: "http://127.0.0.1:1/",
      targets: "base\n  my head \n\n",
      connections: "1,10",
      duration: "2s",
      trials: "4",
      "keep-alive": "false",
      thresholds: "p99<50ms\nerrors<1%",
      margin: "5%",
      formats: "md, csv",
    });
    expect(targets).toEqual(["http://127.0.0.1:1/", "base", "my head"]);
    expect(settings).toMatchObject({
      connections: [1, 10],
      duration: 2000,
      trials: 4,
      keepAlive: false,
      thresholds: [{ source: "p99<50ms" }, { source: "errors<1%" }],
      margin: 0.05,
      formats: ["md", "csv"],
    });
  });

  it.each([
    ["fail", ["fail"]],
    ["fail, inconclusive", ["fail", "inconclusive"]],
    ["never", []],
  ])("fails the step on what fail-on says: %s", (text, verdicts) => {
    expect([...read({ "fail-on": text }).failOn]).toEqual(verdicts);
  });

  it.each([
    ["trials", "two", "trials: "],
    ["keep-alive", "no", "keep-alive: "],
    ["comment", "always", 'comment: expected auto or never, got "always"'],
    ["fail-on", "slow", 'fail-on: expected fail, inconclusive, both with a comma between them, or never, got "slow"'],
    ["fail-on", "fail,never", "fail-on: "],
    ["fail-on", "constructor", "fail-on: "],
  ])("names the input %s when it is wrong", (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
  });
});
