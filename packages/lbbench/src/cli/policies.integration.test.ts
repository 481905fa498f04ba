import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { readMarkdown, readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { ExitCode } from "./io.js";

/** What is found where others keep the machine busy, and makes latency doubtful. */
const BUSY: readonly string[] = ["MACHINE_SATURATED", "HOST_BUSY", "GENERATOR_SATURATED", "LEVEL_NOT_REACHED"];

it("compares policies of real processes: which share each gave the slow backend, who came in time, and the same again by report", async () => {
  const folder = temporaryFolder();
  const slow = ["--slow", "backend-1 by 700ms from 200ms to 900ms"];
  const only = "-d 1s --within 500ms -r 100 --policy round-robin --policy least-connections";
  const short = "--trials 1 --warmup 0 --handler sleep:5ms --backends 2 --threshold within>99.99% -o out -f md";
  const words = ["policies", ...slow, ...only.split(" "), ...short.split(" ")];
  const { code, stdout, stderr } = await runCommand(words, folder);
  const { steps, scenario } = readStoredResult(join(folder, "out"));
  // Where others keep the machine busy, the figures of a policy are in doubt, and it is not compared. Round robin gives the slow backend its part.
  const busy = steps.flatMap(({ target, findings }) => {
    const doubt = findings.find(({ code: found, args }) => BUSY.includes(found) && !("unsent" in args));
    return doubt === undefined ? [] : [`${target} is not compared [${doubt.code}].`];
  });
  expect(code, stderr).toBe(busy.length === steps.length ? ExitCode.inconclusive : ExitCode.fail);
  const said = stdout.replaceAll(/\s+/g, " ");
  for (const sentence of busy) expect(said).toContain(sentence);
  expect([/Answered within 500 ms: .*One trial: a test needs/.test(said), busy.length > 0]).toContain(true);
  expect(scenario.policies).toMatchObject({ scenario: "one-slow", withinMs: 500 });
  const told = steps.map(({ measurement }) => {
    const { within, requests, backends = {}, slices } = measurement ?? {};
    const given = Object.values(backends).map((one) => one.requests);
    return { within, requests, first: given[0] ?? NaN, given, inFlight: slices?.inFlight?.["backend-1"] ?? [] };
  });
  for (const { within, requests, given, inFlight } of told) {
    expect(within).toMatchObject({ ms: 500, due: requests?.sent });
    expect(requests).toMatchObject({ inFlight: 0 });
    expect(within?.ok).toBeLessThanOrEqual(requests?.ok ?? NaN);
    expect(given.reduce((sum, one) => sum + one, 0)).toBe(requests?.sent);
    expect(inFlight.some((count) => count !== null && count > 0)).toBe(true);
  }
  const [roundRobin, leastConnections] = told as [(typeof told)[0], (typeof told)[0]];
  expect(Math.max(...roundRobin.given) - Math.min(...roundRobin.given)).toBeLessThanOrEqual(1);
  expect(leastConnections.first).toBeLessThan(roundRobin.first);
  const table = (): string | undefined => /## Policies\n[^#]*/.exec(readMarkdown(join(folder, "out")))?.[0];
  const before = table();
  expect(before).toContain("Within 500 ms (%)");
  expect((await runCommand(["report", "out", "-f", "md"], folder)).code).toBe(ExitCode.pass);
  expect(table()).toBe(before);
});
