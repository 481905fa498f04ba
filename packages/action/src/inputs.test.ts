import { parseSweepInput } from "lbbench";
import { describe, expect, it, test } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { readInputs, resolveSweep, worstVerdict } from "./inputs.js";

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
      connections: undefined,
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
      faults: "kill backend-2 at 3s\nstart backend-2 at 8s",
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
      faults: [
        { kind: "kill", part: "backend-2", atMs: 3000 },
        { kind: "start", part: "backend-2", atMs: 8000 },
      ],
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
    expect(read({ "fail-on": text }).failOn).toEqual(new Set(verdicts));
  });

  it.each([
    ["trials", "two", "trials: "],
    ["keep-alive", "no", "keep-alive: "],
    ["faults", "kill backend-2", "faults"],
    ["comment", "always", 'comment: expected auto or never, got "always"'],
    ["fail-on", "slow", 'fail-on: expected fail, inconclusive, both with a comma between them, or never, got "slow"'],
    ["fail-on", "fail,never", "fail-on: "],
    ["fail-on", "constructor", "fail-on: "],
  ])("names the input %s when it is wrong", (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
  });
});

type Given = Partial<Parameters<typeof resolveSweep>[0]>;

/** Resolves the sweep of this config file, in a folder with a plugin `mine` beside it. */
function resolve(file: object, given: Given = {}) {
  const options = "{ _zod: {}, safeParse() {} }";
  const plugin = `export default { name: "mine", options: ${options}, start() {} };`;
  const folder = temporaryFolder({ "mine.mjs": plugin, "bench.json": JSON.stringify(file) });
  return resolveSweep(
    { config: "bench.json", targets: [], settings: {}, connections: undefined, baseline: undefined, ...given },
    folder,
  );
}

const margin = parseSweepInput({ margin: "3%" }, "test");

describe("resolveSweep", () => {
  it("puts inputs over the config file, and leaves out what is no sweep's", async () => {
    const { input } = await resolve(
      { connections: "1", duration: "1s", trials: 2, search: { by: "rate" }, ramp: { to: 5 }, out: "mine" },
      { settings: parseSweepInput({ requests: "10" }, "test") },
    );
    expect(input).toMatchObject({ connections: [1], requests: [10], trials: 2, out: "mine" });
    for (const name of ["duration", "search", "ramp"]) expect(input).not.toHaveProperty(name);
  });

  it("leaves out conditions on what only a comparison of policies has, of thresholds and of what ends levels", async () => {
    const rules = { thresholds: ["p99<1s", "within>90%"], stopOn: ["within<9%", "errors>5%"] };
    const { input } = await resolve({ ...rules, targets: ["balanced"], policies: { only: ["random"] } });
    expect(input.thresholds?.map(({ source }) => source)).toEqual(["p99<1s"]);
    expect(input.stopOn).toMatchObject([{ source: "errors>5%" }]);
    expect((await resolve(rules)).input.thresholds).toHaveLength(2);
  });

  it("shows charts as GitHub draws them, renders no pictures, and says so where they were asked for", async () => {
    const plain = await resolve({});
    expect(plain.input).toMatchObject({ charts: "mermaid", formats: ["md", "html"] });
    expect(plain.notes).toEqual([]);
    const pictures = await resolve({ charts: "png", formats: ["png", "csv"] });
    expect(pictures).toMatchObject({
      input: { charts: "mermaid", formats: ["csv"] },
      notes: [expect.stringContaining("png is left out")],
    });
    expect((await resolve({ charts: "none", formats: ["png"] })).input).toMatchObject({
      charts: "none",
      formats: ["md", "html"],
    });
  });

  it("takes the margin for the targets, beside a baseline only where there is a reference", async () => {
    expect((await resolve({}, { settings: margin })).input.margin).toBe(0.03);
    const alone = await resolve({}, { settings: margin, baseline: "old" });
    expect(alone.input).not.toHaveProperty("margin");
    expect(alone.margins).toMatchObject({ margin: 0.03 });
    const file = { targets: ["single", "balanced"], margin: "3%", errorMargin: "1%" };
    const ofFile = await resolve(file, { baseline: "old" });
    for (const name of ["margin", "errorMargin"]) expect(ofFile.input).not.toHaveProperty(name);
    expect(ofFile.margins).toEqual({ margin: 0.03, errorMargin: 0.01 });
    const balanced = { name: "b", server: "balanced", reference: "single" };
    for (const targets of [{ reference: "single" }, { targets: ["single", balanced] }]) {
      const both = await resolve({ ...file, ...targets }, { settings: margin, baseline: "old" });
      expect(both).toMatchObject({ input: { margin: 0.03 }, margins: { margin: 0.03 } });
    }
  });

  it("knows a plugin that is named by its path by the name that it gives itself", async () => {
    const file = { targets: ["single", "./mine.mjs"], reference: "mine" };
    const both = { targets: ["./mine.mjs", "single"], reference: "mine" };
    expect((await resolve(file, { targets: ["mine", "single"] })).input).toMatchObject(both);
    expect((await resolve(file, { targets: ["single"] })).input).not.toHaveProperty("reference");
  });

  it("leaves out levels with more connections than requests, as the command line does, unless they are listed, and says so", async () => {
    const usual = await resolve({ targets: ["single"], requests: 500 });
    expect(usual.input.connections).toEqual([1, 50, 100, 250, 500]);
    expect(usual.notes).toEqual([expect.stringContaining("Levels of 1000 connections are left out")]);
    const range = read({ connections: "10:40:10", requests: "25" });
    expect((await resolve({ connections: "1,30" }, range)).input.connections).toEqual([10, 20]);
    const listed = await resolve({ connections: [1, 30], requests: 25 });
    expect(listed).toMatchObject({ input: { connections: [1, 30] }, notes: [] });
  });

  it("names the config file in what is wrong with it", async () => {
    await expect(resolve({ connectoins: "1" })).rejects.toThrow(/bench\.json: .*connectoins/);
  });
});

test("the worst verdict counts", () => {
  expect(worstVerdict(["pass", "fail", "inconclusive"])).toBe("fail");
  expect(worstVerdict(["inconclusive", "pass"])).toBe("inconclusive");
  expect(worstVerdict([])).toBe("pass");
});
