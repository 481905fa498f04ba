import { readFileSync } from "node:fs";

/** The pull request that a run is of, and the run. */
export interface PullRequestRun {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** Name of the event, such as `pull_request`. */
  readonly event: string;
  /** What was checked out. */
  readonly sha: string;
  /** Newest commit of the pull request. */
  readonly head: unknown;
  /** Number of the run, counted by workflow. */
  readonly run: number;
  readonly runUrl: string;
  readonly apiUrl: string;
  /** Workflow, job and step. */
  readonly step: string;
}

/** Reads what the runner says in variables of the environment and in the file of the event; `undefined` where it is of no pull request. */
export function readPullRequest(env: NodeJS.ProcessEnv): PullRequestRun | undefined {
  const { pull_request: pull } = readEvent(env["GITHUB_EVENT_PATH"]);
  if (pull === undefined) return undefined;
  const said = (name: string, otherwise = ""): string => env[`GITHUB_${name}`] ?? otherwise;
  const [owner = "", repo = ""] = said("REPOSITORY").split("/");
  return {
    owner,
    repo,
    number: pull.number,
    event: said("EVENT_NAME"),
    sha: said("SHA"),
    head: pull.head?.sha,
    run: Number(said("RUN_NUMBER")) || 0,
    runUrl: `${said("SERVER_URL", "https://github.com")}/${owner}/${repo}/actions/runs/${said("RUN_ID")}`,
    apiUrl: said("API_URL", "https://api.github.com"),
    step: [said("WORKFLOW"), said("JOB"), said("ACTION")].join("/"),
  };
}

interface Event {
  readonly pull_request?: { readonly number: number; readonly head?: { readonly sha?: unknown } };
}

/** A run outside GitHub may have no event. */
function readEvent(path: string | undefined): Event {
  try {
    return path === undefined ? {} : (JSON.parse(readFileSync(path, "utf8")) as Event);
  } catch {
    return {};
  }
}
