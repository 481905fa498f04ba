import { expect, it, onTestFinished } from "vitest";
import type { ForegroundProgram } from "../system/supervise.js";
import { startProgramLives } from "./program-lives.js";
import { waitUntilAccepts } from "./ready.js";

/** Ends when it is told to for the second time, and prints nothing. */
const DEAF_AT_FIRST = `
  let told = 0;
  process.on("SIGUSR2", () => (told += 1) === 2 && process.exit());
  require("node:http").createServer().listen(Number(process.argv[1]), "127.0.0.1");
`;

async function startDeaf(mayBeToldAgain: boolean) {
  const describe = (port: number): ForegroundProgram => {
    const url = new URL(`http://127.0.0.1:${port}`);
    return {
      title: "a program",
      shortName: "program",
      command: { argv: [process.execPath, "-e", DEAF_AT_FIRST, String(port)], env: {}, cwd: ".", files: {} },
      url,
      watched: { name: "program", role: "balancer" },
      readyTimeoutMs: 60_000,
      waitUntilReady: (signal) => waitUntilAccepts(url, signal),
      slowAdvice: "",
      explainRunError: (message) => message,
    };
  };
  const part = { name: "program", role: "balancer", finishBy: "SIGUSR2", mayBeToldAgain } as const;
  const { server, first } = await startProgramLives(part, 0, describe, { signal: new AbortController().signal });
  onTestFinished(server.stop);
  return first;
}

it("a balancer that was not ready to be told that it ends is told again, while it takes connections", async () => {
  const life = await startDeaf(true);
  await expect(life.finish()).resolves.toBeUndefined();
});

it("another program is told once, because many end at once when they are told again", async () => {
  const life = await startDeaf(false);
  await expect(life.finish()).rejects.toThrow(/Expected the end of program after SIGUSR2 within 5000 ms/);
});
