import { waitUntilAnswers } from "../../servers/ready.js";
import type { ForegroundProgram } from "../supervise.js";

interface Overrides extends Partial<Omit<ForegroundProgram, "command">> {
  readonly cwd?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A script of Node that answers every request at the port that PORT says. */
export const SERVES = `require("node:http").createServer((_, response) => response.end()).listen(process.env.PORT)`;

/** Builds a program: a Node with a script, which is ready when it answers at the port. */
export function aProgram(
  port: number,
  script: string,
  { cwd = ".", files = {}, ...overrides }: Overrides = {},
): ForegroundProgram {
  const url = new URL(`http://127.0.0.1:${port}`);
  return {
    title: "the program",
    shortName: "program",
    command: { argv: [process.execPath, "-e", script], env: { PORT: String(port) }, cwd, files },
    url,
    watched: { name: "program", role: "backend" },
    readyTimeoutMs: 60_000,
    waitUntilReady: (signal) => waitUntilAnswers(url, signal),
    slowAdvice: "",
    explainRunError: String,
    ...overrides,
  };
}
