import { readFileSync } from "node:fs";
import { notice, warning } from "@actions/core";
import { HttpClient } from "@actions/http-client";
import type { ActionInputs } from "./inputs.js";
import type { CommentFrame } from "./report-text.js";
import { printLines } from "./runner.js";

/** The pull request that a run is of, and the run. */
interface PullRequestRun {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** What was measured, a sentence; `undefined` where the event does not tell. */
  readonly measured: string | undefined;
  /** Number of the run, counted by workflow. */
  readonly run: number;
  readonly runUrl: string;
  readonly apiUrl: string;
  /** Workflow, job and step. */
  readonly step: string;
}

/**
 * Keeps one comment on the pull request of this run up to date, if it has one. That the token may not write it, that it cannot be made,
 * or that GitHub fails, is told and fails nothing: the report is in the summary.
 */
export async function commentOnPullRequest(
  compose: (frame: CommentFrame) => Promise<string>,
  { commentKey, token }: Pick<ActionInputs, "commentKey" | "token">,
): Promise<void> {
  const pull = readPullRequest(process.env);
  if (pull === undefined) return printLines("No comment: this run is not of a pull request.");
  const { owner, repo, number, run, runUrl, measured } = pull;
  const key = commentKey ?? pull.step;
  try {
    const body = await compose({ mark: commentMark(key, run), runUrl, measured });
    const outcome =
      token === undefined
        ? "refused"
        : await keepComment(connectGitHub(token, pull.apiUrl), { owner, repo, issue: number, key, body });
    if (outcome === "refused") {
      notice(
        "The report is in the summary of the job only: the token may not write a comment on the pull request. That of a pull request " +
          "from a fork may never; otherwise the job needs `permissions: pull-requests: write`.",
      );
    } else if (outcome === "outdated") {
      printLines(`The comment on pull request ${number} is of a later run, and stays.`);
    } else printLines(`The comment on pull request ${number} was ${outcome}.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warning(
      `The report is in the summary of the job only: the comment on the pull request could not be written: ${reason}`,
    );
  }
}

interface Event {
  readonly pull_request?: { readonly number: number; readonly head?: { readonly sha?: unknown } };
}

/** Reads what the runner says in variables of the environment and in the file of the event; `undefined` where it is of no pull request. */
function readPullRequest(env: NodeJS.ProcessEnv): PullRequestRun | undefined {
  const { pull_request: pull } = readEvent(env["GITHUB_EVENT_PATH"]);
  if (pull === undefined) return undefined;
  const said = (name: string, otherwise = ""): string => env[`GITHUB_${name}`] ?? otherwise;
  const [owner = "", repo = ""] = said("REPOSITORY").split("/");
  return {
    owner,
    repo,
    number: pull.number,
    measured: describeCommits(said("EVENT_NAME"), said("SHA"), pull.head?.sha),
    run: Number(said("RUN_NUMBER")) || 0,
    runUrl: `${said("SERVER_URL", "https://github.com")}/${owner}/${repo}/actions/runs/${said("RUN_ID")}`,
    apiUrl: said("API_URL", "https://api.github.com"),
    step: [said("WORKFLOW"), said("JOB"), said("ACTION")].join("/"),
  };
}

/** A run outside GitHub may have no event. */
function readEvent(path: string | undefined): Event {
  try {
    return path === undefined ? {} : (JSON.parse(readFileSync(path, "utf8")) as Event);
  } catch {
    return {};
  }
}

/** Says what was measured: of a pull request not its last commit, but what comes of merging that. */
function describeCommits(event: string, sha: unknown, head: unknown): string | undefined {
  if (!isSha(sha)) return undefined;
  const isMerge = event === "pull_request" && isSha(head) && head !== sha;
  return `Measured at ${sha}${isMerge ? `, the merge of ${head} into its base` : ""}.`;
}

function isSha(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{7,64}$/.test(value);
}

const MARK_BEGIN = "<!-- lbbench report ";
const MARK_END = / run (\d+) -->$/;

/**
 * Returns the first line of a comment, which is not shown, and by which it is found again.
 *
 * @param key tells the comments of several uses apart; it cannot end the line.
 * @param run number of the run of the workflow, which later ones exceed.
 */
export function commentMark(key: string, run: number): string {
  return `${markBegin(key)} run ${run} -->`;
}

/** Returns the number of the run that wrote a comment with the mark of this key; `undefined` of any other comment. */
export function readMark(body: string, key: string): number | undefined {
  const [line = ""] = body.split(/\r?\n/, 1);
  const [end, run] = MARK_END.exec(line) ?? [];
  return end !== undefined && line === `${markBegin(key)}${end}` ? Number(run) : undefined;
}

function markBegin(key: string): string {
  return `${MARK_BEGIN}${encodeURIComponent(key).replaceAll("-", "%2D")}`;
}

/** Asks GitHub's API for something, `GET /user`; resolves with the answer, parsed, `undefined` for one without a body. Rejects with a {@link GitHubError}. */
type CallGitHub = (method: string, path: string, body?: object) => Promise<unknown>;

/** What GitHub says in place of what it was asked for. */
class GitHubError extends Error {
  override readonly name = "GitHubError";

  constructor(
    message: string,
    /** Of the answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** Returns what calls GitHub's API with a token, through the proxy that the runner is set to use. */
export function connectGitHub(token: string, apiUrl: string): CallGitHub {
  const client = new HttpClient("lbbench");
  const headers = { accept: "application/vnd.github+json", authorization: `Bearer ${token}` };
  return async (method, path, body) => {
    const response = await client.request(
      method,
      `${apiUrl}${path}`,
      body === undefined ? null : JSON.stringify(body),
      body === undefined ? headers : { ...headers, "content-type": "application/json" },
    );
    const status = response.message.statusCode ?? 0;
    const text = await response.readBody();
    if (status >= 200 && status < 300) return text === "" ? undefined : JSON.parse(text);
    throw new GitHubError(messageOf(text) ?? `GitHub answered with status ${status}.`, status);
  };
}

/** What an answer says of itself; one that is no JSON is of a proxy. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The pull request that is commented on, and with what. */
export interface KeptComment {
  readonly owner: string;
  readonly repo: string;
  /** Number of the pull request. */
  readonly issue: number;
  /** Of the mark of the comment, by which it is found again. */
  readonly key: string;
  /** Begins with its mark. */
  readonly body: string;
}

/**
 * What became of it: `refused` where the token may not do that, `outdated` where a later run has written the comment already.
 */
export type CommentOutcome = "created" | "updated" | "outdated" | "refused";

/** A comment with the mark, by whom we write as. */
interface OwnComment {
  readonly id: number;
  readonly body: string;
  readonly run: number;
}

/** A comment as GitHub tells it. */
interface ToldComment {
  readonly id: number;
  readonly body?: string;
  readonly user?: { readonly login: string } | null;
}

/** Who writes with the token that a workflow is given. It may not ask who it is. */
const WORKFLOW = "github-actions[bot]";
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const PAGE = 100;

/**
 * Writes the comment with this mark anew, or the first one. Of several, which runs at the same time may have begun, the oldest is
 * kept. A later run is not overwritten. Comments of others are left alone, also those that begin with the mark. Rejects when
 * GitHub cannot be reached, fails, or refuses for any other reason than what the token may do.
 */
export async function keepComment(call: CallGitHub, comment: KeptComment): Promise<CommentOutcome> {
  const { body } = comment;
  try {
    const known = await listOwn(call, comment, await ownLogin(call));
    if (known.length > 0) return await settle(call, comment, known);
    const created = (await call("POST", commentsOf(comment), { body })) as ToldComment;
    // Now it is known who writes with this token, and another run may have begun one in the meantime.
    const all = await listOwn(call, comment, created.user?.login ?? WORKFLOW);
    if (!all.some(({ id }) => id !== created.id)) return "created";
    return await settle(call, comment, all);
  } catch (error) {
    if (isRefusal(error)) return "refused";
    throw error;
  }
}

/** Leaves one comment: the oldest, with the text of the latest run. */
async function settle(
  call: CallGitHub,
  { owner, repo, key, body }: KeptComment,
  comments: readonly OwnComment[],
): Promise<CommentOutcome> {
  const [oldest, ...others] = comments.toSorted((a, b) => a.id - b.id);
  if (oldest === undefined) return "outdated";
  const run = readMark(body, key) ?? 0;
  const latest = comments.reduce((best, one) => (one.run > best.run ? one : best), { id: 0, body, run });
  if (latest.body !== oldest.body) {
    await call("PATCH", `/repos/${owner}/${repo}/issues/comments/${oldest.id}`, { body: latest.body });
  }
  for (const { id } of others) {
    try {
      await call("DELETE", `/repos/${owner}/${repo}/issues/comments/${id}`);
    } catch (error) {
      // The other run has removed it.
      if (statusOf(error) !== NOT_FOUND) throw error;
    }
  }
  return latest.run > run ? "outdated" : "updated";
}

async function listOwn(call: CallGitHub, comment: KeptComment, login: string): Promise<readonly OwnComment[]> {
  const comments: ToldComment[] = [];
  for (let page = 1; comments.length === (page - 1) * PAGE; page += 1) {
    const more = await call("GET", `${commentsOf(comment)}?per_page=${PAGE}&page=${page}`);
    comments.push(...(more as readonly ToldComment[]));
  }
  return comments.flatMap(({ id, body = "", user }) => {
    const run = readMark(body, comment.key);
    return run === undefined || user?.login !== login ? [] : [{ id, body, run }];
  });
}

function commentsOf({ owner, repo, issue }: KeptComment): string {
  return `/repos/${owner}/${repo}/issues/${issue}/comments`;
}

async function ownLogin(call: CallGitHub): Promise<string> {
  try {
    const { login } = (await call("GET", "/user")) as { readonly login: string };
    return login;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return WORKFLOW;
  }
}

/** Whether a token may not do something; 404 where it may not even know of it. A rate limit or a locked conversation is another matter. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  if (status === NOT_FOUND) return true;
  return status === FORBIDDEN && error instanceof Error && error.message.startsWith("Resource not accessible by ");
}

function statusOf(error: unknown): number | undefined {
  return error instanceof GitHubError ? error.status : undefined;
}
