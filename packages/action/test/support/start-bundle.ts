import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { markedProcesses, markEnvironment, type ProcessEntry } from "@lbbench/test-support/marked-processes.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { follow } from "@lbbench/test-support/run-program.js";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

/** The bundle, which runs alone: without any package beside it. */
export interface RunningBundle {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly log: () => string;
  /** It and all that it started. */
  readonly processes: () => readonly ProcessEntry[];
  readonly ended: Promise<BundleRun>;
}

/** What the bundle leaves. */
export interface BundleRun {
  readonly code: number | null;
  readonly summary: string;
  /** The file that steps write their outputs to. */
  readonly outputs: string;
}

/** Makes a folder with the bundle and these files in it, which is removed when the test has finished; returns its path. */
export function copyBundle(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder(files);
  for (const path of ["package.json", "bundle"]) cpSync(join(PACKAGE, path), join(folder, path), { recursive: true });
  return folder;
}

/** Starts the bundle as the runner does, with these inputs, and these variables beside them. */
export function startBundle(
  folder: string,
  inputs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): RunningBundle {
  const files = { GITHUB_OUTPUT: join(folder, "outputs"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  for (const path of Object.values(files)) writeFileSync(path, "");
  const given = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const env = { ...process.env, ...files, ...Object.fromEntries(given), ...variables, ...markEnvironment(folder) };
  const child = spawn(process.execPath, [join(folder, "bundle/index.js")], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdout, stderr, ended: closed } = follow(child);
  const ended = closed.then(({ code }): BundleRun => ({
    code,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8"),
    outputs: readFileSync(files.GITHUB_OUTPUT, "utf8"),
  }));
  return { child, log: () => stdout() + stderr(), processes: () => markedProcesses(folder), ended };
}
