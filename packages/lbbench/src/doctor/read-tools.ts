import { spawn } from "node:child_process";
import { signalProcess } from "../system/proc.js";
import { withServerFolders } from "../system/program.js";
import type { ToolReading } from "./readings.js";
import { TOOLS, type Tool } from "./tools.js";

const LONGEST_ANSWER_MS = 5000;

/** Asks every tool for its version. Rejects, with nothing left running, when the signal aborts. */
export async function readTools(signal: AbortSignal): Promise<readonly ToolReading[]> {
  const tools = await Promise.all(
    TOOLS.map(async (tool) => ({ name: tool.name, version: await readVersion(tool, signal) })),
  );
  signal.throwIfAborted();
  return tools;
}

/** The version a tool prints, whatever its exit code; `null` when it cannot be started, or was ended by the signal. */
export async function readVersion(
  { name, args }: Pick<Tool, "name" | "args">,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) return null;
  const child = spawn(name, args, {
    env: { ...process.env, ...withServerFolders({}) },
    stdio: ["ignore", "pipe", "pipe"],
    // A name may stand for a script that starts the tool: they are ended together.
    detached: true,
  });
  const { pid } = child;
  const end = (): void => void (pid !== undefined && signalProcess(-pid, "SIGKILL"));
  const limit = setTimeout(end, LONGEST_ANSWER_MS);
  signal.addEventListener("abort", end, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  try {
    return await new Promise((resolve) => {
      child.once("error", () => resolve(null));
      // When all of its output was read, which is when none of them is left to write any.
      child.once("close", (code) => resolve(code === null ? null : findVersion(output)));
    });
  } finally {
    clearTimeout(limit);
    signal.removeEventListener("abort", end);
  }
}

/** The first number with a dot on the first line; a program that prints its usage instead may have any further down. */
function findVersion(output: string): string {
  const [first = ""] = output.trimStart().split("\n", 1);
  return /\d+\.\d+(?:\.\d+)*/.exec(first)?.[0] ?? "found; it does not tell its version";
}
