import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { processTree } from "../run/usage/process-tree.js";
import { acceptsConnections } from "../testing/ports.js";
import { runningOf } from "../testing/processes.js";

const START_AND_WAIT = fileURLToPath(new URL("./test-support/start-and-wait.mjs", import.meta.url));
const HELLO_SERVER = fileURLToPath(new URL("./test-support/hello-server.mjs", import.meta.url));
const PATIENCE = { timeout: 20_000, interval: 20 };

const SERVERS = [
  { name: "single", options: {} },
  { name: "cluster", options: { workers: 2 } },
  { name: "balanced", options: { backends: 2 } },
  { name: "command", options: { command: [process.execPath, HELLO_SERVER] } },
] as const;

it.each(SERVERS)("$name leaves neither process nor port when the program that started it is killed", async (server) => {
  const program = fork(START_AND_WAIT, { execArgv: [] });
  program.send(server);
  const [{ url, pids }] = (await once(program, "message")) as [{ readonly url: string; readonly pids: number[] }];
  const tree = await processTree(program.pid ?? -1);
  expect(tree).toEqual(expect.arrayContaining(pids));
  expect(await acceptsConnections(url)).toBe(true);
  program.kill("SIGKILL");
  await once(program, "exit");
  await vi.waitFor(() => expect(runningOf([...tree, ...pids])).toEqual([]), PATIENCE);
  expect(await acceptsConnections(url)).toBe(false);
});

it.each(SERVERS)("$name leaves nothing when the program that starts it is killed while it does", async (server) => {
  const program = fork(START_AND_WAIT, { execArgv: [] });
  program.send(server);
  const seen = new Set([program.pid ?? -1]);
  while (seen.size < 2) await addDescendants(seen);
  program.kill("SIGKILL");
  await once(program, "exit");
  await vi.waitFor(async () => {
    // Those that were started last have yet to start others.
    await addDescendants(seen);
    expect(runningOf(seen)).toEqual([]);
  }, PATIENCE);
});

async function addDescendants(pids: Set<number>): Promise<void> {
  for (const tree of await Promise.all([...pids].map(processTree))) for (const pid of tree) pids.add(pid);
}
