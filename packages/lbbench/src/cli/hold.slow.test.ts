import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { runAndRead } from "../../test/support/run-and-read.js";
import { runCommand } from "../../test/support/run-command.js";
import { captureEnvironment } from "../run/environment.js";
import { ExitCode } from "./io.js";

it("holds connections to a balancer, tells them first, and the same again by report", async () => {
  const folder = temporaryFolder();
  const line = "hold -t balanced -c 20,40 --for 2s --every 500ms --burst 4 --warmup 100ms -o out -f md";
  const { steps, scenario, stdout, report } = await runAndRead(line, folder);
  expect(stdout).toMatch(/^balanced: held 40 of 40 connections to the end/m);
  expect(stdout).toMatch(/^held +conns +opened +alive +lost/m);
  expect(scenario).toMatchObject({ hold: { everyMs: 500, burst: 4 }, restart: "step", reference: null });
  for (const { level, measurement, usage } of steps) {
    expect(measurement?.hold).toMatchObject({ atStart: level.connections, alive: level.connections });
    expect(measurement?.hold?.burst?.requests.ok).toBeGreaterThan(0);
    expect(usage?.balancer?.[0]?.beforeHold?.bytes).toBeGreaterThan(0);
  }
  const table = (): string | undefined => /Connections that were held, each[^#]*/.exec(report())?.[0];
  const before = table();
  expect(before).toContain("Alive at the end");
  expect(before).toContain("What connections saw that were busy for a while");
  expect((await runCommand("report out -f md", folder)).code).toBe(ExitCode.pass);
  expect(table()).toBe(before);
});

it("tells what a restart of the balancer costs: every connection, and that all are there again", async () => {
  const faults = ["--fault", "stop balancer at 600ms", "--fault", "start balancer at 1100ms"];
  const words = "hold -t balanced -c 20 --for 10s --every 300ms --warmup 100ms -o out -f md".split(" ");
  const folder = temporaryFolder();
  const { stdout, stderr } = await runCommand([...words, ...faults], folder);
  expect(stdout, stderr).toMatch(/^balanced: held 20 of 20 connections to the end \(\d+ lost\)/m);
  const [step] = readStoredResult(join(folder, "out")).steps;
  const { lost, established, alive = NaN } = step?.measurement?.hold ?? {};
  const all = (lost?.closed ?? 0) + (lost?.reset ?? 0) + (lost?.givenUp ?? 0);
  expect(all).toBeGreaterThanOrEqual(20);
  expect(established).toBe(alive + all);
  expect(step?.findings.find(({ code }) => code === "CONNECTIONS_LOST")?.severity).toBe("info");
});

it("refuses before any load what the machine cannot hold", async () => {
  const { fdLimit } = await captureEnvironment();
  const words = `hold -t single -c ${(fdLimit ?? 0) + 1} --generators 1 --quiet`;
  expectRefusal(await runCommand(words, temporaryFolder()), ["connections (-c): expected so many", "--generators 2"]);
});
