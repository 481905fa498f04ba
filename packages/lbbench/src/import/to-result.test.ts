import { describe, expect, it } from "vitest";
import { compare } from "../api/compare.js";
import { importOutput, type ImportOptions } from "../api/import-output.js";
import { renderReport } from "../api/render-report.js";
import type { Result } from "../model/result.js";
import { renderSummary } from "../report/summary-table.js";
import { resultSchema } from "../store/result-schema.js";
import { changeAb } from "./test-support/change-ab.js";
import { keptText } from "./test-support/kept-output.js";

const TIME = "2026-01-02T03:04:05.000Z";

async function imported(text: string, options: ImportOptions = {}): Promise<Result> {
  const { result } = await importOutput([{ name: "saved.txt", content: text, modifiedAt: TIME }], options);
  return result;
}

/** A block of ab as in a report that was put together by hand: of another server, at another level. */
function abBlock(name: string, port: number, connections: number): string {
  return changeAb(keptText(`ab/${name}`), { connections }).replace(
    /Server Port: .*/,
    `Server Port:            ${port}`,
  );
}

const codesOf = ({ verdict }: Result): readonly string[] => verdict.findings.map(({ code }) => code);

describe("a result of imported output", () => {
  it("has what the output tells, null for the rest, and its findings", async () => {
    const result = await imported(keptText("ab/all-503"));
    expect(result).toMatchObject({
      version: 1,
      startedAt: TIME,
      complete: true,
      command: null,
      environment: null,
      imported: { files: [{ name: "saved.txt", modifiedAt: TIME, programs: ["ab 2.3"], runs: 1 }] },
      scenario: {
        name: "import",
        targets: [{ name: "127.0.0.1:18765/503", server: "url", options: { url: "http://127.0.0.1:18765/503" } }],
        reference: null,
        request: null,
        httpVersion: null,
        warmupMs: null,
        timeoutMs: null,
        keepAlive: false,
        engine: { name: "ab", generators: null },
        order: null,
        seed: null,
        trials: 1,
      },
    });
    expect(result.steps).toMatchObject([
      {
        target: "127.0.0.1:18765/503",
        level: { connections: 50, requests: 1000 },
        trial: 1,
        engine: "ab",
        state: "completed",
      },
    ]);
    expect(result.verdict.status).toBe("inconclusive");
    expect(codesOf(result)).toEqual(["ALL_FAILED", "NON_2XX", "TOO_SHORT", "SINGLE_TRIAL"]);
  });

  it("is read again as it was written", async () => {
    const result = await imported(`${keptText("ab/slow")}\n${keptText("autocannon/amount")}`);
    const stored: unknown = JSON.parse(JSON.stringify(result));
    expect(resultSchema.parse(stored)).toEqual(result);
  });

  it("makes trials of runs of one target and level, and levels and targets of others", async () => {
    const text = [20, 20, 50, 20].map((connections, index) =>
      changeAb(keptText("ab/slow"), { connections, seconds: 4 + index / 100 }),
    );
    const result = await imported(text.join("\n"));
    expect(result.steps.map(({ level, trial }) => [level.connections, trial])).toEqual([
      [20, 1],
      [20, 2],
      [50, 1],
      [20, 3],
    ]);
    // Every level has as many.
    expect(result.scenario.trials).toBe(1);
    expect(result.scenario.levels).toHaveLength(2);
  });

  it("tells targets apart by address, program and keep-alive, and takes one name for one target only", async () => {
    const text = [
      abBlock("slow", 9002, 20),
      abBlock("keep-alive", 9002, 20),
      abBlock("slow", 9003, 20),
      keptText("wrk/plain"),
    ].join("\n");
    const result = await imported(text);
    expect(result.scenario.targets.map(({ name }) => name)).toEqual([
      "127.0.0.1:9002/slow (no keep-alive)",
      "127.0.0.1:9002/slow (keep-alive)",
      "127.0.0.1:9003/slow",
      "127.0.0.1:18765/slow",
    ]);
    expect(result.scenario.targets.at(-1)?.engine).toEqual({ name: "wrk", options: {} });
    expect(result.scenario).toMatchObject({ keepAlive: null, reference: "127.0.0.1:9002/slow (no keep-alive)" });
    await expect(imported(text, { target: "mine" })).rejects.toThrow(
      /^--target: expected runs of one target, got some of /,
    );
    expect((await imported(keptText("ab/slow"), { target: "mine" })).scenario.targets).toMatchObject([
      { name: "mine" },
    ]);
  });

  it("names a target after its file, where the output does not tell an address", async () => {
    const { result, notes } = await importOutput([{ name: "runs/before.json", content: keptText("k6/slow-data") }]);
    expect(result.scenario.targets).toEqual([{ name: "before", server: "url", options: {} }]);
    expect(notes).toEqual([
      "runs/before.json: the thresholds of k6 are not taken over (http_req_duration p(95)<500, http_req_failed rate<0.01): say them with --threshold",
    ]);
  });

  it("finds the mistake of the first of the five reports: eighteen tables, and not one good answer", async () => {
    const text = [9001, 9002, 44_444]
      .flatMap((port) => [1, 50, 100, 250, 500, 1000].map((connections) => abBlock("all-503", port, connections)))
      .join("\n$ ab again\n");
    const result = await imported(text);
    expect(result.steps).toHaveLength(18);
    const found = result.verdict.findings.filter(({ code }) => code === "ALL_FAILED");
    expect(found.map(({ args }) => [args["target"], args["levels"], args["steps"]])).toEqual(
      [9001, 9002, 44_444].map((port) => [`127.0.0.1:${port}/503`, "1, 50, 100, 250, 500, 1000", 6]),
    );
    expect(result.verdict.status).toBe("inconclusive");
  });

  it("makes a failed step of a level at which ab gave up", async () => {
    const gaveUp = keptText("../refused-output/gave-up");
    const result = await imported(`${abBlock("slow", 80, 20)}\n$ ab -n 600 -c 400 http://127.0.0.1/slow\n${gaveUp}`);
    expect(result.steps[1]).toMatchObject({
      level: { connections: 400, requests: 600 },
      state: "failed",
      error: { code: "PROGRAM_FAILED", message: "ab gave up: apr_socket_recv: Connection refused (111)" },
    });
    expect(codesOf(result)).toContain("STEP_FAILED");
  });

  it("refuses the same run twice, which is no second trial, and names both places", async () => {
    const slow = keptText("ab/slow");
    await expect(imported(`${slow}\n$ again\n${slow}`)).rejects.toThrow(
      /^saved\.txt:45-\d+: expected another run than in saved\.txt:1-42, got the same one of ab again\./,
    );
    const content = keptText("autocannon/timed");
    const pretty = JSON.stringify(JSON.parse(content), null, 2);
    const files = ["a.json", "b.json"].map((name, index) => ({ name, content: index === 0 ? content : pretty }));
    await expect(importOutput(files)).rejects.toThrow(/^b\.json:1-\d+: expected another run than in a\.json:1, /);
    const later = content.replaceAll("01:58:01.347Z", "01:59:01.347Z").replaceAll("01:58:03", "01:59:03");
    expect((await imported(`${content}\n${later}`)).steps.map(({ trial }) => trial)).toEqual([1, 2]);
    // These tell nothing that could differ.
    const gaveUp = `$ ab -n 600 -c 400 http://a/\n${keptText("../refused-output/gave-up")}\n`;
    expect((await imported(gaveUp.repeat(2))).steps).toHaveLength(2);
  });

  it("notes runs that look as if a time was asked for, and nobody told which", async () => {
    const notesOf = async (content: string, options: ImportOptions = {}): Promise<readonly string[]> =>
      (await importOutput([{ name: "saved.txt", content }], options)).notes;
    const slow = keptText("ab/slow");
    const [first, second] = [152, 148].map((complete) => changeAb(keptText("ab/timed"), { complete }));
    const [note, ...others] = await notesOf(`${first}\n${second}`);
    expect(note).toMatch(
      /^saved\.txt: ab does not tell whether a number of requests or a time was asked for, so that saved\.txt:1-\d+ is of a level of 152 requests\. .*--duration/,
    );
    expect(others).toEqual([]);
    expect(await notesOf(`${first}\n${second}`, { duration: "1s" })).toEqual([]);
    expect(await notesOf(slow)).toEqual([]);
    expect(await notesOf(changeAb(slow, { complete: 10_985 }))).toHaveLength(1);
  });

  it("is judged by thresholds, of which one about a doubtful figure, or one that is not told, decides nothing", async () => {
    const slow = keptText("ab/slow");
    expect((await imported(slow, { thresholds: ["p99<50ms", "errors<1%"] })).verdict.status).toBe("pass");
    expect((await imported(slow, { thresholds: ["p99<10ms"] })).verdict.status).toBe("fail");
    expect((await imported(keptText("wrk/plain"), { thresholds: ["p99<1s"] })).verdict.status).toBe("inconclusive");
    const doubtful = await imported(keptText("autocannon/amount"), { thresholds: ["throughput>2000"] });
    expect(doubtful.verdict.findings[0]).toMatchObject({
      code: "THRESHOLD_INCONCLUSIVE",
      args: { because: "FIGURE_DOUBTFUL" },
    });
    expect(
      (await imported(keptText("autocannon/amount"), { thresholds: ["errors<1%", "p99<50ms"] })).verdict.status,
    ).toBe("pass");
    expect((await imported(keptText("autocannon/close"), { thresholds: ["errors<50%"] })).verdict.status).toBe(
      "inconclusive",
    );
  });

  it("says nothing of a warm-up, of ports or of descriptors, which nobody told", async () => {
    const many = changeAb(keptText("ab/slow"), { connections: 60_000 });
    const codes = codesOf(await imported(many));
    for (const code of ["NO_WARMUP", "FD_LIMIT", "PORTS_EXHAUSTED", "LITTLES_LAW"]) expect(codes).not.toContain(code);
  });

  it("compares with another one where nothing that is told differs, and says what is not told", async () => {
    const [a, b] = [1, 1.5].map((factor) =>
      Array.from({ length: 6 }, (_, trial) => slowRun(factor * (4 + trial / 100))).join("\n"),
    );
    const comparison = compare(await imported(a ?? ""), await imported(b ?? ""));
    expect(comparison.status).toBe("fail");
    expect(comparison.differences).toEqual([
      { code: "NOT_TOLD", effect: "note", what: "A: machine, request, warm-up, timeout, options of the engine" },
      { code: "NOT_TOLD", effect: "note", what: "B: machine, request, warm-up, timeout, options of the engine" },
    ]);
    const other = compare(await imported(a ?? ""), await imported(keptText("wrk/plain")));
    expect(other.differences[0]).toMatchObject({ code: "OTHER_ENGINE", effect: "prevents" });
  });

  it("is rendered in every format, with nothing that reads like a hole", async () => {
    const text = [
      "ab/slow",
      "ab/mixed",
      "ab/all-503",
      "wrk/plain",
      "wrk/redirect",
      "autocannon/amount",
      "autocannon/close",
    ].map(keptText);
    const result = await imported([...text, keptText("k6/slow-data")].join("\n"));
    const { files } = await renderReport(result, ["md", "csv", "ab", "junit", "html"]);
    const texts = [
      ...files.map(({ name, content }) => [name, String(content)] as const),
      ["summary", renderSummary(result)] as const,
    ];
    expect(texts.length).toBeGreaterThanOrEqual(6);
    for (const [name, content] of texts.filter(([one]) => !one.endsWith(".html"))) {
      expect(content, name).not.toMatch(/\b(?:undefined|NaN|Infinity|null)\b|\[object /);
    }
    const markdown = texts.find(([name]) => name === "report.md")?.[1] ?? "";
    expect(markdown).toContain(
      "Measured with ab 2.3, wrk, autocannon and k6 (8 runs in 1 file) and imported by lbbench",
    );
    expect(markdown).toContain("says nothing of the machine");
    expect(markdown).toMatch(/Warm-up +\| not told/);
    // Its remedies are for the program that measured.
    const found = markdown.slice(markdown.indexOf("## Findings"));
    expect(found).toContain("import the output of all runs together");
    expect(found).not.toMatch(/--(?:trials|requests|duration|expect-status|engine|warmup)\b/);
    expect(markdown).not.toContain("Measured on");
  });
});

/** A run of ab in which as many requests took so many seconds. */
function slowRun(seconds: number): string {
  return changeAb(keptText("ab/slow"), { seconds });
}
