import { existsSync, readFileSync } from "node:fs";
import { notice, warning } from "@actions/core";
import { HttpClient, HttpClientError } from "@actions/http-client";
import type { CommentInputs } from "./inputs.js";
import type { CommentFrame } from "./report-text.js";
import { printLines } from "./runner.js";

/**
 * Keeps one comment on the pull request of this run up to date, if it has one. That the token may not write it, that it cannot be made,
 * or that GitHub fails, is told and fails nothing: the report is in the summary.
 */
export async function commentOnPullRequest(
  compose: (frame: CommentFrame) => Promise<string>,
  { commentKey, token }: Pick<CommentInputs, "commentKey" | "token">,
): Promise<void> {
  const pull = readPullRequest(process.env);
  if (pull === undefined) return printLines("No comment: this run is not of a pull request.");
  const { number, run, runUrl, measured } = pull;
  const key = commentKey ?? pull.step;
  try {
    const body = await compose({ mark: commentMark(key, run), runUrl, measured });
    const outcome =
      token === undefined ? "refused" : await keepComment(openConversation(pull, token), { key, run, body });
    if (outcome === "refused") {
      notice(
        "The token may not write a comment on the pull request. The report is in the summary of the job. " +
          "The token of a fork may never write. Any other job needs `permissions: pull-requests: write`.",
      );
    } else if (outcome === "outdated") {
      printLines(`The comment on pull request ${number} stays: a later run wrote it.`);
    } else printLines(`The comment on pull request ${number} was ${outcome}.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warning(
      `The comment on the pull request could not be written: ${reason}. The report is in the summary of the job.`,
    );
  }
}

/** Reads what the runner says in variables of the environment and in the file of the event; `undefined` where it is of no pull request. */
function readPullRequest(env: NodeJS.ProcessEnv) {
  const { GITHUB_EVENT_PATH: path = "" } = env;
  // A run outside GitHub may have no event.
  const { pull_request: pull } = parseObject<Event>(existsSync(path) ? readFileSync(path, "utf8") : "");
  if (pull === undefined) return undefined;
  const said = (name: string, otherwise = ""): string => env[`GITHUB_${name}`] ?? otherwise;
  const [owner = "", repo = ""] = said("REPOSITORY").split("/");
  return {
    owner,
    repo,
    number: pull.number,
    measured: describeCommits(said("EVENT_NAME"), said("SHA"), pull.head?.sha),
    /** Number of the run, counted by workflow. */
    run: Number(said("RUN_NUMBER")) || 0,
    runUrl: `${said("SERVER_URL", "https://github.com")}/${owner}/${repo}/actions/runs/${said("RUN_ID")}`,
    apiUrl: said("API_URL", "https://api.github.com"),
    step: [said("WORKFLOW"), said("JOB"), said("ACTION")].join("/"),
  };
}

/** What is read of the event of a run. */
interface Event {
  readonly pull_request: { readonly number: number; readonly head?: { readonly sha?: unknown } };
}

/** Says what was measured: of a pull request not its last commit, but what comes of merging that. */
function describeCommits(event: string, sha: string, head: unknown): string | undefined {
  const isSha = (value: unknown): boolean => /^[0-9a-f]{7,64}$/.test(String(value));
  if (!isSha(sha)) return undefined;
  const isMerge = event === "pull_request" && isSha(head) && head !== sha;
  return `Measured at ${sha}${isMerge ? `, the merge of ${String(head)} into its base` : ""}.`;
}

/**
 * Returns the first line of a comment, which is not shown, and by which it is found again.
 *
 * @param key tells the comments of several uses apart; it cannot end the line.
 * @param run number of the run of the workflow, which later ones exceed.
 */
export function commentMark(key: string, run: number): string {
  return `<!-- lbbench report ${encodeURIComponent(key).replaceAll("-", "%2D")} run ${run} -->`;
}

/** Returns the number of the run that wrote a comment with the mark of this key; `undefined` of any other comment. */
export function readMark(body: string, key: string): number | undefined {
  const [line = ""] = body.split(/\r?\n/, 1);
  const [, run] = / run (\d+) -->$/.exec(line) ?? [];
  return run !== undefined && line === commentMark(key, Number(run)) ? Number(run) : undefined;
}

/** As GitHub tells it. */
interface ToldComment {
  readonly id: number;
  readonly body?: string;
  readonly user?: { readonly login: string } | null;
}

const PAGE = 100;

type Place = Pick<NonNullable<ReturnType<typeof readPullRequest>>, "apiUrl" | "owner" | "repo" | "number">;

/**
 * Opens the comments of a pull request, through the proxy that the runner is set to use. All functions reject with an `HttpClientError`
 * where GitHub does not do what they ask for.
 */
export function openConversation({ apiUrl, owner, repo, number }: Place, token: string) {
  const client = new HttpClient("lbbench");
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { accept: "application/vnd.github+json", authorization: `Bearer ${token}` };
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await client.request(method, `${apiUrl}${path}`, sent, headers);
    const { statusCode: status = 0 } = answer.message;
    const told = parseObject<{ message: string }>(await answer.readBody());
    if (status < 300) return told as T;
    throw new HttpClientError(told.message ?? `GitHub answered with status ${status}.`, status);
  };
  const issues = `/repos/${owner}/${repo}/issues`;
  return {
    /** The token's user. */
    login: async () => (await ask<{ readonly login: string }>("GET", "/user")).login,
    list: async () => {
      const comments: ToldComment[] = [];
      for (let page = 1; comments.length === (page - 1) * PAGE; page += 1) {
        const path = `${issues}/${number}/comments?per_page=${PAGE}&page=${page}`;
        comments.push(...(await ask<readonly ToldComment[]>("GET", path)));
      }
      return comments;
    },
    create: (body: string) => ask<ToldComment>("POST", `${issues}/${number}/comments`, { body }),
    change: (id: number, body: string) => ask<ToldComment>("PATCH", `${issues}/comments/${id}`, { body }),
    remove: (id: number) => ask("DELETE", `${issues}/comments/${id}`),
  };
}

/** A proxy may answer by a page, and GitHub by nothing. */
function parseObject<T extends object>(text: string): Partial<T> {
  try {
    return Object(JSON.parse(text)) as Partial<T>;
  } catch {
    return {};
  }
}

/** The user of a workflow's token, which may not ask for its user. */
const WORKFLOW = "github-actions[bot]";

/**
 * Writes the comment with this key anew, or a first one; tells what became of it. Of several, which concurrent runs may have begun, the
 * oldest is kept, with the text of the latest run. Comments of other users stay, even if they begin with the mark. Rejects if GitHub cannot
 * be reached, fails, or refuses for another reason than the token's permissions.
 *
 * @param body begins with the mark of the key and of the run.
 */
export async function keepComment(
  conversation: ReturnType<typeof openConversation>,
  { key, run, body }: { readonly key: string; readonly run: number; readonly body: string },
): Promise<"created" | "updated" | "outdated" | "refused"> {
  const listOwn = async (login: string) =>
    (await conversation.list()).flatMap(({ id, body: text = "", user }) => {
      const by = readMark(text, key);
      return by === undefined || user?.login !== login ? [] : [{ id, body: text, run: by }];
    });
  try {
    let own = await listOwn(await conversation.login().catch((error: unknown) => unlessRefused(error, WORKFLOW)));
    const isFirst = own.length === 0;
    if (isFirst) {
      const { user } = await conversation.create(body);
      // Now the token's user is known, and another run may have begun a comment in the meantime.
      own = await listOwn(user?.login ?? WORKFLOW);
    }
    const [oldest, ...others] = own.toSorted((a, b) => a.id - b.id);
    if (oldest === undefined || (isFirst && others.length === 0)) return "created";
    const latest = own.reduce((best, one) => (one.run > best.run ? one : best), { run, body });
    if (latest.body !== oldest.body) await conversation.change(oldest.id, latest.body);
    // One that cannot be removed stays.
    for (const { id } of others) await conversation.remove(id).catch(() => {});
    return latest.run > run ? "outdated" : "updated";
  } catch (error) {
    return unlessRefused(error, "refused");
  }
}

/** Throws every error except a missing permission of the token, which may be a 404 as well. A locked conversation throws. */
function unlessRefused<T>(error: unknown, otherwise: T): T {
  if (!(error instanceof HttpClientError)) throw error;
  const { statusCode, message } = error;
  if (statusCode === 404 || (statusCode === 403 && message.startsWith("Resource not accessible by "))) return otherwise;
  throw error;
}
