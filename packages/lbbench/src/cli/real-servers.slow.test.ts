import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runAndRead } from "../../test/support/run-and-read.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { startCli } from "../../test/support/run-cli.js";
import { runCommand } from "../../test/support/run-command.js";
import type { Result } from "../model/result.js";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./io.js";

/** Where these make a figure doubtful, it is not the target that was too slow. */
const BUSY = ["MACHINE_SATURATED", "HOST_BUSY", "GENERATOR_SATURATED"];

/** How a search that found a limit ends: without a verdict where the steps of the level that did not hold say that the machine was busy. */
function expectedCode({ steps, verdict }: Result): number {
  const { connections, doubt } = verdict.findings.find(({ code }) => code === "LIMIT_DOUBTFUL")?.args ?? {};
  const own = steps.filter(({ level }) => level.connections === connections).flatMap(({ findings }) => findings);
  const isBusy = BUSY.some((busy) => busy === doubt && own.some(({ code }) => code === busy));
  return isBusy ? ExitCode.inconclusive : ExitCode.pass;
}

/** Searches a limit that there is; resolves with what was found. */
async function searchIn(cwd: string, flags: string): Promise<Result["search"]> {
  const { code, stdout, stderr } = await runCommand(`max ${flags} -o out -f md --force`, cwd);
  const result = readStoredResult(join(cwd, "out"));
  expect(code, stderr + stdout).toBe(expectedCode(result));
  return result.search;
}

const SHORT = "--warmup 0 -o out -f md";

it("lbbench max finds how many connections a pool with a queue holds", async () => {
  const cwd = temporaryFolder();
  // Serves 3 requests at a time, lets 4 wait, and refuses the rest.
  const options = { pool: 3, queue: 4, policy: "drop-tail", handler: "sleep:20ms" };
  writeConfig(cwd, { targets: [{ name: "pool", server: "pool", options }] });
  const found = await searchIn(cwd, "-d 600ms --timeout 10s --warmup 0");
  expect(found).toMatchObject([{ status: "found", held: 7, broken: 8 }]);
});

it(
  "lbbench max finds the same limit of a latency by short and by long steps, and not more than its queue allows",
  { timeout: 600_000 },
  async () => {
    const cwd = temporaryFolder();
    const pool = (handler: string, search = {}): void =>
      writeConfig(cwd, {
        targets: [{ name: "pool", server: "pool", options: { pool: 10, queue: 200, policy: "drop-tail", handler } }],
        search,
      });
    // 10 at a time of 60 ms each are at most 167/s: by Little's law the 56th connection makes their mean latency 336 ms. A busy machine adds little to that.
    pool("sleep:60ms");
    const flags = "--start 32 --resolution 5%";
    const limitBy = async (duration: string): Promise<number> =>
      (await searchIn(cwd, `${flags} --threshold p50<330ms -d ${duration}`))?.[0]?.held ?? NaN;
    const [short, long] = [await limitBy("1s"), await limitBy("4s")];
    expect(Math.max(short, long)).toBeLessThanOrEqual(55);
    expect(Math.max(short, long) / Math.min(short, long)).toBeLessThanOrEqual(1.1);
    // Of 100 ms each a second from the first request on has at most 100 answers, fewer than two of each of 51 connections, and the quick ones came first.
    // Their median is near 500 ms, and the limit so far from it that a pause of the machine does not reach it.
    pool("sleep:100ms", { growth: 1.6 });
    const line = `max ${flags} --threshold p50<800ms -d 1s ${SHORT} --force`;
    const { search: [unclear] = [] } = await runAndRead(line, cwd, ExitCode.inconclusive);
    expect(unclear).toMatchObject({ status: "unclear", held: 32 });
    expect(unclear?.tried.at(-1)).toMatchObject({ value: 51, because: "TOO_SHORT" });
  },
);

it("lbbench ramp raises users against targets that speak HTTP and gRPC, each by an engine that can", async () => {
  const { steps } = await runAndRead(`ramp -t single -t grpc --from 2 --to 8 --over 2s --steps 2 ${SHORT}`);
  expect(steps.map(({ target, engine }) => [target, engine])).toEqual([
    ["single", "wire"],
    ["grpc", "grpc"],
  ]);
  for (const { measurement } of steps) {
    expect(measurement?.timeline.slice(0, 3).map(({ users }) => users)).toEqual([2, 5, 8]);
  }
});

it.runIf(needs("nginx"))(
  "lbbench sweep --server-timing reads what backends tell through nginx, which adds nothing to that",
  async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [{ name: "nginx", server: "nginx", options: { backends: 2 } }] });
    const { steps } = await runAndRead(`sweep -c 8 -n 2000 --server-timing --engine wire ${SHORT}`, cwd);
    const { serverTiming, latency } = steps[0]?.measurement ?? {};
    expect(serverTiming).toMatchObject({ told: 2000, untold: 0, malformed: 0 });
    expect(serverTiming).not.toHaveProperty("balancer");
    expect(serverTiming?.added?.max).toBeLessThanOrEqual(latency?.max ?? 0);
  },
);

it.each([1, 2])(
  "lbbench proxy in %i processes ends by itself on Ctrl-C with 6,000 requests in flight",
  async (workers) => {
    const silent = await startTestServer({ onRequest: () => undefined });
    const limits = "--max-connections 100 --queue 6000 --queue-timeout 1h";
    const words = `proxy --port 0 --admin 0 --workers ${workers} ${limits} --backend`.split(" ");
    const cli = startCli([...words, `${silent.url} name=silent`], temporaryFolder());
    const printed = /^Balancing 1 backend at \S+:(\d+)[^]*^Figures and control at (\S+)$/m;
    await expect.poll(cli.stderr).toMatch(printed);
    const [, port, admin] = printed.exec(cli.stderr()) ?? [];
    const closed: Promise<unknown>[] = [];
    const ask = async (): Promise<void> => {
      const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
      closed.push(once(socket.resume(), "close"));
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(socket, "connect");
    };
    while (closed.length < 6000) await Promise.all(Array.from({ length: 100 }, ask));
    const stats = async (): Promise<unknown> => (await fetch(`${admin}/stats`)).json();
    await expect.poll(stats).toMatchObject({ backends: [{ inFlight: 6000 }] });
    cli.killGroup("SIGINT");
    const { code, stderr } = await cli.ended;
    expect(code, stderr).toBe(ExitCode.pass);
    // What a worker had in flight that did not end and was killed would be errors.
    expect(stderr).toMatch(/^silent: 6,000 requests, 0 errors$/m);
    await Promise.all(closed);
    expect(cli.processes()).toEqual([]);
  },
);
