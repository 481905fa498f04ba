import { describe, expect, it } from "vitest";
import { compare } from "../api/compare.js";
import { importOutput, type ImportOptions } from "../api/import-output.js";
import { renderReport } from "../api/render-report.js";
import type { Result } from "../model/result.js";
import { renderSummary } from "../report/summary-table.js";
import { resultSchema } from "../model/result-schema.js";
import { changeAb } from "./test-support/change-ab.js";
import { keptText } from "./test-support/kept-output.js";

const TIME = "2026-01-02T03:04:05.000Z";
const SLOW = keptText("ab/slow");
const TIMED = keptText("ab/timed");
const GAVE_UP = keptText("../refused-output/gave-up");

async function imported(text: string, options: ImportOptions = {}): Promise<Result> {
  const { result } = await importOutput([{ name: "saved.txt", content: text, modifiedAt: TIME }], options);
  return result;
}

/** A block of ab as in a report that was put together by hand: of another server, at another level. */
function abBlock(name: string, port: number, connections: number): string {
  const block = changeAb(keptText(`ab/${name}`), { connections });
  return block.replace(/Server Port: .*/, `Server Port:            ${port}`);
}

const codesOf = ({ verdict }: Result): readonly string[] => verdict.findings.map(({ code }) => code);

describe("a result of imported output", () => {
  it("has what the output tells, null for the rest, and its findings", async () => {
    const result = await imported(keptText("ab/all-503"));
    const target = { name: "127.0.0.1:18765/503", server: "url", options: { url: "http://127.0.0.1:18765/503" } };
    const untold = "reference request httpVersion warmupMs timeoutMs order seed".split(" ");
    expect(result).toMatchObject({
      version: 1,
      startedAt: TIME,
      complete: true,
      command: null,
      environment: null,
      imported: { files: [{ name: "saved.txt", modifiedAt: TIME, programs: ["ab 2.3"], runs: 1 }] },
      scenario: {
        ...Object.fromEntries(untold.map((name) => [name, null])),
        name: "import",
        targets: [target],
        keepAlive: false,
        engine: { name: "ab", generators: null },
        trials: 1,
      },
      steps: [
        { target: target.name, level: { connections: 50, requests: 1000 }, trial: 1, engine: "ab", state: "completed" },
      ],
      verdict: { status: "inconclusive" },
    });
    expect(codesOf(result)).toEqual(["ALL_FAILED", "NON_2XX", "TOO_SHORT", "SINGLE_TRIAL", "PEAK"]);
    expect(resultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it("makes trials of runs of one target and level, and levels and targets of others", async () => {
    const text = [20, 20, 50, 20].map((connections, index) =>
      changeAb(SLOW, { connections, seconds: 4 + index / 100 }),
    );
    const result = await imported(text.join("\n"));
    expect(result.steps.map(({ level, trial }) => `${level.connections}/${trial}`).join(" ")).toBe(
      "20/1 20/2 50/1 20/3",
    );
    expect(codesOf(result)).not.toContain("SINGLE_TRIAL");
    const { files } = await renderReport(result, ["md"]);
    expect(String(files.find(({ name }) => name === "report.md")?.content)).toContain("; 1 to 3 trials");
    // Every level has as many.
    expect(result.scenario).toMatchObject({ trials: 1, levels: [{ connections: 20 }, { connections: 50 }] });
  });

  it("tells targets apart by address, program and keep-alive, and takes one name for one target only", async () => {
    const text = [
      abBlock("slow", 9002, 20),
      abBlock("keep-alive", 9002, 20),
      abBlock("slow", 9003, 20),
      keptText("wrk/plain"),
    ].join("\n");
    const { scenario } = await imported(text);
    expect(scenario.targets.map(({ name }) => name)).toEqual([
      "127.0.0.1:9002/slow (no keep-alive)",
      "127.0.0.1:9002/slow (keep-alive)",
      "127.0.0.1:9003/slow",
      "127.0.0.1:18765/slow",
    ]);
    expect(scenario.targets.at(-1)?.engine).toEqual({ name: "wrk", options: {} });
    expect(scenario).toMatchObject({ keepAlive: null, reference: "127.0.0.1:9002/slow (no keep-alive)" });
    await expect(imported(text, { target: "mine" })).rejects.toThrow(
      /^--target: expected runs of one target, got some of /,
    );
    expect((await imported(SLOW, { target: "mine" })).scenario.targets).toMatchObject([{ name: "mine" }]);
  });

  it("names a target after its file, where the output does not tell an address, and notes thresholds of k6", async () => {
    const { result, notes } = await importOutput([{ name: "runs/before.json", content: keptText("k6/slow-data") }]);
    expect(result.scenario.targets).toEqual([{ name: "before", server: "url", options: {} }]);
    expect(notes).toEqual([
      expect.stringMatching(/^runs\/before\.json: .*http_req_duration p\(95\)<500.*--threshold$/),
    ]);
  });

  it.each([
    ["before.txt after.txt", "before after"],
    ["runs.8 runs.16 other.txt", "runs.8 runs.16 other"],
    ["shop.txt shop.json a.b.txt", "shop.txt shop.json a.b"],
    ["nginx/run.txt haproxy/run.txt run.txt", "nginx/run haproxy/run run.txt"],
    ["run.8 run.16 run.8.txt", "run.8 run.16 run.8.txt"],
  ])(
    "keeps files of different names apart, and makes only names longer that are the same: %s",
    async (files, names) => {
      const texts = ["slow", "mixed", "all-503"].map((name) => keptText(`hey/${name}`));
      const sources = files.split(" ").map((name, index) => ({ name, content: texts[index] ?? "" }));
      const { result, notes } = await importOutput(sources, { connections: 10 });
      expect(result.scenario.targets.map(({ name }) => name).join(" ")).toBe(names);
      expect(notes).toEqual([]);
    },
  );

  it("tells of an address no more than keeps its runs apart", async () => {
    const wrk = keptText("wrk/plain").replaceAll("18765", "9002");
    const { scenario } = await imported([abBlock("slow", 9002, 20), wrk].join("\n"));
    expect(scenario.targets.map(({ name }) => name)).toEqual(["127.0.0.1:9002/slow (ab)", "127.0.0.1:9002/slow (wrk)"]);
  });

  it("says that files of one address are trials, which may have been several servers", async () => {
    const names = ["nginx.txt", "haproxy.txt", "a.txt", "b.txt"];
    const sources = names.map((name, index) => ({ name, content: changeAb(SLOW, { seconds: 4 + index / 100 }) }));
    const text = /count as trials of one target, 127\.0\.0\.1:18765\/slow\. .*lbbench compare$/;
    for (const [count, listed] of [
      [2, /^nginx\.txt, haproxy\.txt: /],
      [4, /^nginx\.txt and 3 other files: /],
    ] as const) {
      const { result, notes } = await importOutput(sources.slice(0, count));
      expect(result.scenario.targets).toHaveLength(1);
      expect(notes).toEqual([expect.stringMatching(text)]);
      expect(notes[0]).toMatch(listed);
    }
    expect((await importOutput(sources, { target: "mine" })).notes).toEqual([]);
    const levels = [20, 50].map((connections) => ({
      name: `${connections}.txt`,
      content: changeAb(SLOW, { connections }),
    }));
    expect((await importOutput(levels)).notes).toEqual([]);
  });

  it("makes a failed step of a level at which ab gave up", async () => {
    const result = await imported(`${abBlock("slow", 80, 20)}\n$ ab -n 600 -c 400 http://127.0.0.1/slow\n${GAVE_UP}`);
    expect(result.steps[1]).toMatchObject({
      level: { connections: 400, requests: 600 },
      state: "failed",
      error: { code: "PROGRAM_FAILED", message: "ab gave up: apr_socket_recv: Connection refused (111)" },
    });
    expect(codesOf(result)).toContain("STEP_FAILED");
  });

  it("has the same run once, which is no second trial, and says so with both places", async () => {
    const doubled = await importOutput([{ name: "saved.txt", content: `${SLOW}\n$ again\n${SLOW}` }]);
    expect(doubled.result.steps).toHaveLength(1);
    expect(doubled.result.imported?.files).toMatchObject([{ runs: 1 }]);
    expect(doubled.notes).toEqual([
      expect.stringMatching(/^saved\.txt:45-\d+: left out, because it is the run of saved\.txt:1-42 again$/),
    ]);
    const content = keptText("autocannon/timed");
    const pretty = JSON.stringify(JSON.parse(content), null, 2);
    const files = ["a.json", "b.json"].map((name, index) => ({ name, content: index === 0 ? content : pretty }));
    expect((await importOutput(files)).notes).toEqual([
      expect.stringMatching(/^b\.json:1-\d+: left out, .* a\.json:1 /),
    ]);
    const later = content.replaceAll("01:58:01.347Z", "01:59:01.347Z").replaceAll("01:58:03", "01:59:03");
    expect((await imported(`${content}\n${later}`)).steps.map(({ trial }) => trial)).toEqual([1, 2]);
  });

  it("keeps runs apart that do not tell their connections, and says what to do", async () => {
    const { result, notes } = await importOutput([
      { name: "hey.txt", content: ["slow", "mixed"].map((name) => keptText(`hey/${name}`)).join("\n") },
    ]);
    expect(result.steps.map(({ target, level, trial }) => [target, level.connections, trial])).toEqual([
      [expect.stringContaining("hey.txt:2-"), undefined, 1],
      [expect.stringContaining("hey.txt:"), undefined, 1],
    ]);
    expect(notes).toEqual([
      expect.stringMatching(/^hey\.txt: .* does not tell its connections\. Say them with --connections/),
    ]);
  });

  it.each<[string, string, ImportOptions, number]>([
    [
      "nothing where the time is told",
      [152, 148].map((complete) => changeAb(TIMED, { complete })).join("\n"),
      { duration: "1s" },
      0,
    ],
    ["an odd number of many requests", changeAb(SLOW, { complete: 10_985 }), {}, 1],
  ])("notes %s", async (_, content, options, count) => {
    const { notes } = await importOutput([{ name: "saved.txt", content }], options);
    expect(notes).toHaveLength(count);
    for (const note of notes)
      expect(note).toMatch(/^saved\.txt: ab does not tell whether a number of requests or a time.*--duration/);
  });

  it.each([
    ["pass", "ab/slow", ["p99<50ms", "errors<1%"]],
    ["fail", "ab/slow", ["p99<10ms"]],
    ["inconclusive", "wrk/plain", ["p99<1s"]],
    ["inconclusive", "autocannon/close", ["errors<50%"]],
  ])(
    "is judged %s of %s by %j, where what is doubtful or not told decides nothing",
    async (status, name, thresholds) => {
      expect((await imported(keptText(name), { thresholds })).verdict.status).toBe(status);
    },
  );

  it("compares with another one where nothing that is told differs, and says what is not told", async () => {
    const six = (factor: number): Promise<Result> =>
      imported(
        Array.from({ length: 6 }, (_, trial) => changeAb(SLOW, { seconds: factor * (4 + trial / 100) })).join("\n"),
      );
    const [a, b] = [await six(1), await six(1.5)];
    const what = "machine, request, warm-up, timeout, options of the engine";
    expect(compare(a, b)).toMatchObject({
      status: "fail",
      differences: ["A", "B"].map((side) => ({ code: "NOT_TOLD", effect: "note", what: `${side}: ${what}` })),
    });
    const other = compare(a, await imported(keptText("wrk/plain")));
    expect(other.differences[0]).toMatchObject({ code: "OTHER_ENGINE", effect: "prevents" });
  });

  it("is rendered in every format, with nothing that reads like a hole", async () => {
    const names = ["ab/slow", "ab/all-503", "wrk/redirect", "autocannon/amount", "autocannon/close", "k6/slow-data"];
    const result = await imported(names.map(keptText).join("\n"));
    const { files } = await renderReport(result, ["md", "csv", "ab", "junit", "html"]);
    for (const { name, content } of files.filter((file) => !file.name.endsWith(".html")))
      expect(String(content), name).not.toMatch(/\b(?:undefined|NaN|Infinity|null)\b|\[object /);
    expect(renderSummary(result)).not.toMatch(/\b(?:undefined|NaN|Infinity|null)\b|\[object /);
    const markdown = String(files.find(({ name }) => name === "report.md")?.content);
    expect(markdown).toContain("Measured with ab 2.3, wrk, autocannon and k6 (6 runs in 1 file)");
    expect(markdown).toMatch(/\*\*Warm-up\*\*: not told/);
    expect(markdown).not.toContain("Measured on");
    // Its remedies are for the program that measured.
    const found = markdown.slice(markdown.indexOf("## Findings"));
    expect(found).toContain("import the output of all runs together");
    expect(found).not.toMatch(/--(?:trials|requests|duration|expect-status|engine|warmup)\b/);
  });

  it("asks for more runs in no words of a command that makes trials", async () => {
    const runs = [9002, 9003].flatMap((port) =>
      [4, 4.04].map((seconds) => changeAb(abBlock("slow", port, 20), { seconds: seconds + port / 1e5 })),
    );
    const result = await imported(runs.join("\n"));
    expect(result.steps.map(({ trial }) => trial)).toEqual([1, 2, 1, 2]);
    const { files } = await renderReport(result, ["md"]);
    expect(String(files.find(({ name }) => name === "report.md")?.content)).not.toContain("--trials");
  });
});
