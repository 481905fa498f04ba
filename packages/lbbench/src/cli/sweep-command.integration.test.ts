import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { picturesIn, readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { resultSchema } from "../store/result-schema.js";
import { ExitCode } from "./exit-code.js";

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The shortest sweep there is: two levels, no pictures. */
const SHORT = ["-c", "1,10", "-n", "200", "--warmup", "0", "-f", "md"];

describe("lbbench sweep", () => {
  it("leaves a result, a report and the pictures it shows, and says where", async () => {
    const server = await startTestServer();
    const cwd = temporaryFolder();
    const outcome = await runCli(["sweep", server.url, "-c", "1,10", "-n", "200", "--name", "my run"], cwd);
    expect(outcome.code, outcome.stderr).toBe(ExitCode.pass);

    const [name = "", ...others] = readdirSync(join(cwd, "reports"));
    expect(others).toEqual([]);
    expect(name).toMatch(/^my-run-\d{8}-\d{6}-\d{3}$/);
    const folder = join(cwd, "reports", name);
    expect(outcome.stdout).toContain("Verdict: pass");
    expect(outcome.stdout).toContain(`Report: ${join(folder, "report.html")}`);

    const result = readStoredResult(folder);
    expect(result).toMatchObject({ version: 1, complete: true, verdict: { status: "pass" } });
    expect(result.command).toBe(`npx lbbench sweep ${server.url} -c 1,10 -n 200 --name 'my run'`);
    expect(result.steps.map(({ level, state }) => ({ level, state }))).toEqual([
      { level: { connections: 1, requests: 200 }, state: "completed" },
      { level: { connections: 10, requests: 200 }, state: "completed" },
    ]);

    const pictures = picturesIn(readMarkdown(folder));
    expect(pictures).toContain("throughput.png");
    for (const picture of pictures) {
      expect(readFileSync(join(folder, picture)).subarray(0, 8), picture).toEqual(PNG_SIGNATURE);
    }
    expect(readdirSync(folder).toSorted()).toEqual(["report.html", "report.md", "result.json", ...pictures].toSorted());
    expect(readFileSync(join(folder, "report.html"), "utf8")).toMatch(/^<!doctype html>/);
  });

  it("prints a line for each step on stderr where that is no terminal, and the summary on stdout", async () => {
    const { url } = await startTestServer();
    const { stdout, stderr } = await runCli(["sweep", url, ...SHORT], temporaryFolder());
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/^\[1\/2\] .*1 connection: .* ok\/s, .* 0 failed$/),
      expect.stringMatching(/^\[2\/2\] .*10 connections: .* ok\/s, .* 0 failed$/),
    ]);
    expect(stdout).toContain("Verdict: pass");
    expect(stderr + stdout, "control characters").not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("prints exactly one JSON document on stdout with --json", async () => {
    const { url } = await startTestServer();
    const { code, stdout, stderr } = await runCli(["sweep", url, ...SHORT, "--json", "-o", "out"], temporaryFolder());
    expect(code).toBe(ExitCode.pass);
    expect(resultSchema.parse(JSON.parse(stdout)).steps).toHaveLength(2);
    expect(stderr).toContain("Verdict: pass");
  });

  it("prints nothing with --quiet, and only the result with --quiet --json", async () => {
    const { url } = await startTestServer();
    const cwd = temporaryFolder();
    const quiet = await runCli(["sweep", url, ...SHORT, "--quiet", "-o", "out"], cwd);
    expect(quiet).toMatchObject({ code: ExitCode.pass, stdout: "", stderr: "" });
    expect(existsSync(join(cwd, "out/report.md"))).toBe(true);
    const json = await runCli(["sweep", url, ...SHORT, "--quiet", "--json", "-o", "out"], cwd);
    expect(json).toMatchObject({ code: ExitCode.pass, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual(readStoredResult(join(cwd, "out")));
  });

  it("links no pictures when none are asked for", async () => {
    const { url } = await startTestServer();
    const cwd = temporaryFolder();
    await runCli(["sweep", url, ...SHORT, "-o", "out"], cwd);
    expect(readdirSync(join(cwd, "out")).toSorted()).toEqual(["report.md", "result.json"]);
    expect(picturesIn(readMarkdown(join(cwd, "out")))).toEqual([]);
  });

  it("exits with 1 when a threshold is missed, and with 0 when all are met", async () => {
    let answered = 0;
    const { url } = await startTestServer({
      onRequest: (_, response) => void response.writeHead(++answered % 4 === 0 ? 503 : 200).end(),
    });
    const cwd = temporaryFolder();
    const missed = await runCli(
      ["sweep", url, ...SHORT, "--threshold", "errors<50%", "--threshold", "errors<10%"],
      cwd,
    );
    expect(missed, missed.stderr).toMatchObject({ code: ExitCode.fail });
    expect(missed.stdout).toContain("errors<10%");
    expect(missed.stdout).not.toContain("errors<50%");
    const met = await runCli(["sweep", url, ...SHORT, "--threshold", "errors<=25%"], cwd);
    expect(met.code, met.stdout).toBe(ExitCode.pass);
  });

  it("exits with 3 when every answer is an error", async () => {
    const { url } = await startTestServer({ onRequest: (_, response) => void response.writeHead(500).end() });
    const { code, stdout } = await runCli(["sweep", url, ...SHORT], temporaryFolder());
    expect(code).toBe(ExitCode.inconclusive);
    expect(stdout).toContain("ALL_FAILED");
  });

  it("sends the method, the headers and the body of the command line, and judges answers by what is expected", async () => {
    const seen = new Set<string>();
    const { url } = await startTestServer({
      onRequest: (request, response) => {
        void text(request).then((body) => {
          seen.add(`${request.method} ${String(request.headers["x-one"])} ${body}`);
          response.writeHead(201).end("made");
        });
      },
    });
    const flags = [
      "-m",
      "put",
      "-H",
      "X-One: 1: 2",
      "-b",
      "a 'body'",
      "--expect-status",
      "201",
      "--expect-body",
      "made",
    ];
    const cwd = temporaryFolder();
    const { code, stdout } = await runCli(["sweep", url, ...SHORT, ...flags, "-o", "out"], cwd);
    expect(code, stdout).toBe(ExitCode.pass);
    expect([...seen]).toEqual(["PUT 1: 2 a 'body'"]);
    expect(readMarkdown(join(cwd, "out"))).toContain(`-H 'X-One: 1: 2' -b 'a '\\''body'\\'''`);
  });

  it("finds the config file by itself, and lets flags override it", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, {
      name: "from file",
      targets: [
        { name: "alone", server: "single", options: { handler: "json" } },
        { name: "two", server: "balanced", options: { backends: 2 } },
      ],
      reference: "two",
      connections: "1,2,4",
      duration: "1m",
      warmup: "0",
      formats: ["md"],
    });
    const { code, stderr } = await runCli(
      ["sweep", "-n", "60", "-c", "2", "-t", "alone", "-t", "two", "-o", "out"],
      cwd,
    );
    expect(code, stderr).toBe(ExitCode.pass);
    const { scenario, steps } = readStoredResult(join(cwd, "out"));
    expect(scenario).toMatchObject({
      name: "from file",
      reference: "two",
      levels: [{ connections: 2, requests: 60 }],
      targets: [{ name: "alone", options: { handler: "json" } }, { name: "two" }],
    });
    expect(Object.values(steps[1]?.measurement?.backends ?? {})).toEqual([
      { requests: 30, errors: 0 },
      { requests: 30, errors: 0 },
    ]);
  });

  it("takes one target of the config file, whatever the reference there", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, {
      targets: [
        { name: "alone", server: "single" },
        { name: "two", server: "balanced", options: { backends: 2 } },
      ],
      reference: "two",
    });
    const { code, stderr } = await runCli(["sweep", "-t", "alone", ...SHORT, "-o", "out"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    expect(readStoredResult(join(cwd, "out")).scenario).toMatchObject({
      reference: null,
      targets: [{ name: "alone" }],
    });
  });

  it("compares built-in targets by their names", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await runCli(
      ["sweep", "-t", "single", "-t", "balanced", ...SHORT, "-o", "out"],
      cwd,
    );
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stdout).toMatch(/^single .*^balanced /ms);
    const result = readStoredResult(join(cwd, "out"));
    expect(result.scenario.reference).toBe("single");
    expect(Object.keys(result.steps[1]?.measurement?.backends ?? {})).toHaveLength(4);
  });
});
