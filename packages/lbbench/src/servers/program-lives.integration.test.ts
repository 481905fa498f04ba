import { expect, it, onTestFinished } from "vitest";
import { aProgram } from "../system/test-support/foreground-program.js";
import { startProgramLives } from "./program-lives.js";

/** Ends when it is told to for the second time, and prints nothing. */
const DEAF_AT_FIRST = `
  let told = 0;
  process.on("SIGUSR2", () => (told += 1) === 2 && process.exit());
  require("node:http").createServer((_, response) => response.end()).listen(Number(process.env.PORT), "127.0.0.1");
`;

async function startDeaf(mayBeToldAgain: boolean) {
  const part = { name: "program", role: "balancer", finishBy: "SIGUSR2", mayBeToldAgain } as const;
  const context = { signal: new AbortController().signal };
  const { server, first } = await startProgramLives(part, 0, (port) => aProgram(port, DEAF_AT_FIRST), context);
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
