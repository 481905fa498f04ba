import { askProgram, withServerFolders } from "../system/program.js";
import type { ToolReading } from "./diagnosis.js";

/** A program that is useful beside lbbench. */
interface Tool {
  readonly name: string;
  /** Arguments that make it print its version, to either stream. */
  readonly args: readonly string[];
  /** What goes without it. */
  readonly purpose: string;
  /** A line for a shell. */
  readonly install: string;
}

/** The programs that the doctor looks for. */
export const TOOLS: readonly Tool[] = [
  { name: "nginx", args: ["-v"], purpose: "a balancer to compare with", install: "sudo apt install nginx-light" },
  { name: "haproxy", args: ["-v"], purpose: "a balancer to compare with", install: "sudo apt install haproxy" },
  { name: "ab", args: ["-V"], purpose: "for --engine ab", install: "sudo apt install apache2-utils" },
  { name: "wrk", args: ["-v"], purpose: "for --engine wrk", install: "sudo apt install wrk" },
  // It has no flag for its version, and says how it is used instead.
  { name: "hey", args: ["-h"], purpose: "for --engine hey", install: "sudo apt install hey" },
  { name: "go", args: ["version"], purpose: "for servers and tools in Go", install: "sudo apt install golang-go" },
  { name: "python3", args: ["--version"], purpose: "for servers in Python", install: "sudo apt install python3" },
];

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
  const { code, output } = await askProgram(name, args, { env: withServerFolders({}), signal });
  return code === null ? null : findVersion(output);
}

/** The first number with a dot on the first line; a program that prints its usage instead may have any further down. */
function findVersion(output: string): string {
  const [first = ""] = output.trimStart().split("\n", 1);
  return /\d+\.\d+(?:\.\d+)*/.exec(first)?.[0] ?? "found; it does not tell its version";
}
