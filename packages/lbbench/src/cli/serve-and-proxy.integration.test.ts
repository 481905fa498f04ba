import { expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { listeningSockets, stillListening } from "@lbbench/test-support/marked-processes.js";
import { runCommand, startCommand, type CommandOutcome, type RunningCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { processTree } from "../system/proc.js";
import { ExitCode } from "./io.js";

const start = (line: string | readonly string[]): RunningCommand => startCommand(line, temporaryFolder());

async function printed({ stderr }: RunningCommand, pattern: RegExp): Promise<string> {
  await expect.poll(stderr).toMatch(pattern);
  return pattern.exec(stderr())?.[1] ?? "";
}

/** Interrupts a command, and expects that it ends well, leaves no process and listens no more. */
async function expectEnded({ interrupt, ended }: RunningCommand, url: string): Promise<CommandOutcome> {
  const { port } = new URL(url);
  const pids = processTree(process.pid);
  const sockets = listeningSockets(pids.map((pid) => ({ pid, parent: 0 }))).filter((one) => one.port === Number(port));
  interrupt();
  const outcome = await ended;
  expect(outcome, outcome.stderr).toMatchObject({ code: ExitCode.pass, stdout: "" });
  expect(stillListening(sockets)).toEqual([]);
  expect(processTree(process.pid)).toEqual([process.pid]);
  return outcome;
}

it("lbbench serve pool serves on a port of its choice until it is interrupted, and tells what it has counted at its admin port", async () => {
  const command = start("serve pool --pool 2 --handler error:100% --admin 0 --port 0");
  const url = await printed(command, /^Serving "error:100%" at (\S+) with process \d+$/m);
  expect((await fetch(url)).status).toBe(500);
  const counts = await printed(command, /^Counts at (\S+)$/m);
  expect(await (await fetch(counts)).json()).toMatchObject({ served: 1 });
  await expectEnded(command, url);
});

it("lbbench proxy runs in several workers, and tells and changes what they do at its admin port", async () => {
  const [one, two] = [await startTestServer(), await startTestServer()];
  const backends = ["--backend", `${one.url} name=one`, "--backend", `${two.url} name=two weight=3`];
  const health = "--policy weighted-round-robin --health-check --health-interval 100ms --backend-header x-served-by";
  const command = start([..."proxy --port 0 --workers 2 --admin 0".split(" "), ...backends, ...health.split(" ")]);
  const url = await printed(command, /^Balancing 2 backends at (\S+) with 2 workers$/m);
  const admin = await printed(command, /^Figures and control at (\S+)$/m);
  for (let request = 0; request < 8; request++)
    expect((await fetch(url)).headers.get("x-served-by")).toMatch(/^(one|two)$/);
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  const counts = [...metrics.matchAll(/^lbbench_balancer_backend_requests_total\{backend="\w+"\} (\d+)$/gm)];
  expect(counts.map(([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)).toBe(8);
  expect((await fetch(`${admin}/backends/two/drain`, { method: "POST" })).status).toBe(202);
  const stats = async (): Promise<unknown> => (await fetch(`${admin}/stats`)).json();
  await expect.poll(stats).toMatchObject({ backends: [{ condition: "up" }, { condition: "draining" }] });
  const { stderr } = await expectEnded(command, url);
  expect(stderr).toMatch(/^one: \d+ requests, 0 errors$/m);
});

it("lbbench proxy says at its end how much of the work of a worker that was killed is in no count", async () => {
  const { url: backend } = await startTestServer();
  const before = processTree(process.pid);
  const command = start(["proxy", "--port", "0", "--workers", "2", "--backend", `${backend} name=one`]);
  const url = await printed(command, /^Balancing 1 backend at (\S+) with 2 workers$/m);
  for (let request = 0; request < 8; request++) await (await fetch(url)).text();
  const worker = processTree(process.pid)
    .filter((pid) => !before.includes(pid))
    .at(-1);
  if (worker === undefined) throw new Error("Expected workers.");
  process.kill(worker, "SIGKILL");
  await expect.poll(() => processTree(process.pid)).not.toContain(worker);
  const { stderr } = await expectEnded(command, url);
  // A request that was in flight when the worker told of itself last counts as failed.
  expect(stderr).toMatch(
    /^one: \d requests?, (?:0 errors|1 error)\nwarning: 1 worker died\. What came in their last \d+ ms is in no/m,
  );
});

it("lbbench proxy warns at start of a backend that nothing listens at, and of no other", async () => {
  const { url: alive } = await startTestServer();
  const backends = ["http://127.0.0.1:9", alive, "unix:/no/such.sock"].flatMap((backend) => ["--backend", backend]);
  const command = start(["proxy", "--port", "0", ...backends]);
  const url = await printed(command, /^Balancing 3 backends at (\S+)$/m);
  await printed(command, /^warning: Nothing listens at http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\)/m);
  await printed(command, /^warning: Nothing listens at unix:\/no\/such\.sock \(ENOENT\)/m);
  const { stderr } = await expectEnded(command, url);
  expect(stderr.match(/^warning: /gm)).toHaveLength(2);
});

it.each(["proxy --backend http://127.0.0.1:9 --port PORT", "serve cluster --workers 2 --port PORT"])(
  "exits with 4 when the port is in use: lbbench %s",
  async (line) => {
    const { port } = await startTestServer();
    const outcome = await runCommand(line.replace("PORT", String(port)), temporaryFolder());
    expectRefusal(outcome, [String(port), "the port is in use"], ExitCode.unreachable);
  },
);
