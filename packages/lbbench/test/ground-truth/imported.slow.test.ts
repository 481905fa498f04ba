import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { importOutput } from "../../src/index.js";
import { needs } from "@lbbench/test-support/needs.js";
import { answer } from "../../src/testing/ground-truth/action.js";
import { startTruthServer } from "../../src/testing/ground-truth/truth-server.js";

const run = promisify(execFile);
const CONNECTIONS = 10;
const GOOD = answer({ headers: ["Connection: keep-alive", "Content-Length: 5"] });
const BAD = answer({ status: 503, headers: ["Connection: keep-alive", "Content-Length: 5"] });

/** What each program is told beside the URL, and how many requests it may have under way when it ends. */
const PROGRAMS: readonly (readonly [program: string, flags: string, slack: number])[] = [
  ["ab", `-q -k -n 500 -c ${CONNECTIONS}`, 0],
  ["wrk", `--latency -t 1 -d 1s -c ${CONNECTIONS}`, CONNECTIONS],
  ["hey", `-n 500 -c ${CONNECTIONS}`, 0],
];

describe.each(PROGRAMS.filter(([program]) => needs(program)))("what %s prints today", (program, flags, slack) => {
  it.each([
    ["all answers", () => GOOD],
    ["every tenth with 503", (number: number) => (number % 10 === 0 ? BAD : GOOD)],
  ])("is imported with the counts of the server: %s", async (_, behaviour) => {
    const { url, log, drained, close } = await startTruthServer(behaviour, {});
    onTestFinished(close);
    const { stdout } = await run(program, [...flags.split(" "), url]);
    await drained();
    const content = `$ ${program} ${flags} ${url}\n${stdout}`;
    const { result, notes } = await importOutput([{ name: "runs.txt", content }]);
    expect(notes).toEqual([]);
    const [step] = result.steps;
    expect(step?.level.connections).toBe(CONNECTIONS);
    const { sent = 0, ok = 0, non2xx = 0, ...failures } = step?.measurement?.requests ?? {};
    expect(Object.values(failures).reduce((sum, count) => sum + count, 0)).toBe(0);
    expect(ok + non2xx).toBe(sent);
    expect(log.requests - sent).toBeGreaterThanOrEqual(0);
    expect(log.requests - sent).toBeLessThanOrEqual(slack);
    const bad = behaviour(10) === BAD ? Math.floor(log.requests / 10) : 0;
    expect(bad - non2xx).toBeGreaterThanOrEqual(0);
    expect(bad - non2xx).toBeLessThanOrEqual(slack);
  });
});
