import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { inRepository } from "@lbbench/test-support/repository.js";
import { markedProcesses, markEnvironment, type ProcessEntry } from "@lbbench/test-support/marked-processes.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { follow } from "@lbbench/test-support/run-program.js";

/** Where the action is in the repository of a test: a copy of what is committed, without any package beside it. */
export const ACTION = "./action-under-test";

const COMMITTER = ["-c", "user.name=test", "-c", "user.email=test@example.test", "-c", "commit.gpgsign=false"];

/** What a run of a workflow leaves. */
export interface ActRun {
  readonly isSuccess: boolean;
  /** Of all steps, one after the other. */
  readonly summary: string;
  readonly outputs: ReadonlyMap<string, string>;
  /** Commands that the runner has acted upon: `error`, `notice`, `warning`, ... */
  readonly commands: readonly { readonly command: string; readonly arg: string }[];
  /** All that act has printed. */
  readonly log: string;
  /** The processes that the workflow has left behind. */
  readonly left: readonly ProcessEntry[];
}

/** A repository with a workflow, which is removed when the test has finished. */
export interface ActRepository {
  /** Runs the workflow as pull request 7 of o/r, with a token that the fake GitHub takes. */
  readonly run: (apiUrl: string) => Promise<ActRun>;
  readonly folder: string;
}

/** Makes a repository of these files and the action as it is committed. */
export function createActRepository(files: Readonly<Record<string, string>>): ActRepository {
  const own = Object.entries(files).map(([path, text]) => [`repository/${path}`, text]);
  const event = {
    pull_request: { number: 7, head: { sha: "0123456789abcdef" }, base: { sha: "fedcba9876543210" } },
    repository: { name: "r", owner: { login: "o" } },
  };
  const home = temporaryFolder({ ...Object.fromEntries(own), "event.json": JSON.stringify(event) });
  const folder = join(home, "repository");
  for (const path of ["action.yml", "packages/action/package.json", "packages/action/bundle"]) {
    cpSync(inRepository(path), join(folder, ACTION, path), { recursive: true });
  }
  const git = (...args: readonly string[]): void => void execFileSync("git", [...COMMITTER, ...args], { cwd: folder });
  git("init", "--quiet");
  git("remote", "add", "origin", "https://github.com/o/r.git");
  git("add", "--all");
  git("commit", "--quiet", "--message", "test");
  return { folder, run: (apiUrl) => runAct(home, folder, apiUrl) };
}

async function runAct(home: string, cwd: string, apiUrl: string): Promise<ActRun> {
  const mark = `${home}-${Date.now()}`;
  const args = ["pull_request", "--platform", "ubuntu-latest=-self-hosted", "--eventpath", join(home, "event.json")];
  args.push("--json", "--env", `GITHUB_API_URL=${apiUrl}`, "--secret", "GITHUB_TOKEN=secret");
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  const env = {
    ...process.env,
    ...markEnvironment(mark),
    HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
    TMPDIR: temporary,
  };
  const child = spawn("act", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const { code, stdout, stderr } = await follow(child).ended;
  const log = `${stdout}\n${stderr}`;
  const lines = log.split("\n").flatMap(readLine);
  const told = lines.flatMap(({ command, arg = "", name }) => (command === undefined ? [] : [{ command, arg, name }]));
  return {
    isSuccess: code === 0,
    summary: lines.flatMap(({ command, content }) => (command === "summary" ? [content ?? ""] : [])).join(""),
    outputs: new Map(told.flatMap(({ command, name = "", arg }) => (command === "set-output" ? [[name, arg]] : []))),
    commands: told.map(({ command, arg }) => ({ command, arg })),
    log,
    left: markedProcesses(mark),
  };
}

interface ActLine {
  readonly command?: string;
  readonly arg?: string;
  readonly name?: string;
  readonly content?: string;
}

function readLine(line: string): readonly ActLine[] {
  try {
    return [JSON.parse(line) as ActLine];
  } catch {
    return [];
  }
}
