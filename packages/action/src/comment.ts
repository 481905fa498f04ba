import { readFileSync } from "node:fs";
import { notice, warning } from "@actions/core";
import { HttpClient, HttpClientError } from "@actions/http-client";
import type { ActionInputs } from "./inputs.js";
import type { CommentFrame } from "./report-text.js";
import { printLines } from "./runner.js";

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
  const { number, run, runUrl, measured } = pull;
  const key = commentKey ?? pull.step;
  try {
    const body = await compose({ mark: commentMark(key, run), runUrl, measured });
    const outcome =
      token === undefined ? "refused" : await keepComment(openConversation(pull, token), { key, run, body });
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

/** Reads what the runner says in variables of the environment and in the file of the event; `undefined` where it is of no pull request. */
function readPullRequest(env: NodeJS.ProcessEnv) {
  const { pull_request: pull } = readEvent(env["GITHUB_EVENT_PATH"]);
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

/** A run outside GitHub may have no event. */
function readEvent(path = ""): {
  pull_request?: { readonly number: number; readonly head?: { readonly sha?: unknown } };
} {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
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
  // The client writes into its headers.
  const headers = () => ({ accept: "application/vnd.github+json", authorization: `Bearer ${token}` });
  const issues = `${apiUrl}/repos/${owner}/${repo}/issues`;
  return {
    /** Who the token is of. */
    login: async () => (await answered(client.getJson<{ readonly login: string }>(`${apiUrl}/user`, headers()))).login,
    list: async () => {
      const comments: ToldComment[] = [];
      for (let page = 1; comments.length === (page - 1) * PAGE; page += 1) {
        const url = `${issues}/${number}/comments?per_page=${PAGE}&page=${page}`;
        comments.push(...(await answered(client.getJson<readonly ToldComment[]>(url, headers()))));
      }
      return comments;
    },
    create: (body: string) =>
      answered(client.postJson<ToldComment>(`${issues}/${number}/comments`, { body }, headers())),
    change: (id: number, body: string) =>
      answered(client.patchJson<ToldComment>(`${issues}/comments/${id}`, { body }, headers())),
    /** A comment that cannot be removed stays. */
    remove: async (id: number): Promise<void> =>
      void (await (await client.del(`${issues}/comments/${id}`, headers())).readBody()),
  };
}

/** The client takes 404 for an empty answer, and for a message the whole page by which a proxy answers. */
async function answered<T>(asked: Promise<{ readonly statusCode: number; readonly result: T | null }>): Promise<T> {
  const { statusCode, result } = await asked.catch((error: unknown) => {
    if (error instanceof HttpClientError && error.result === null)
      return { statusCode: error.statusCode, result: null };
    throw error;
  });
  if (statusCode !== 404 && result !== null) return result;
  throw new HttpClientError(`GitHub answered with status ${statusCode}.`, statusCode);
}

/** Who writes with the token that a workflow is given. It may not ask who it is. */
const WORKFLOW = "github-actions[bot]";

/**
 * Writes the comment with this key anew, or the first one; tells what became of it. Of several, which runs at the same time may have begun,
 * the oldest is kept, with the text of the latest run. Comments of others are left alone, also those that begin with the mark. Rejects
 * when GitHub cannot be reached, fails, or refuses for any other reason than what the token may do.
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
      // Now it is known who writes with this token, and another run may have begun one in the meantime.
      own = await listOwn(user?.login ?? WORKFLOW);
    }
    const [oldest, ...others] = own.toSorted((a, b) => a.id - b.id);
    if (oldest === undefined || (isFirst && others.length === 0)) return "created";
    const latest = own.reduce((best, one) => (one.run > best.run ? one : best), { run, body });
    if (latest.body !== oldest.body) await conversation.change(oldest.id, latest.body);
    for (const { id } of others) await conversation.remove(id);
    return latest.run > run ? "outdated" : "updated";
  } catch (error) {
    return unlessRefused(error, "refused");
  }
}

/** Throws any error but that a token may not do something; 404 where it may not even know of it. A locked conversation is another matter. */
function unlessRefused<T>(error: unknown, otherwise: T): T {
  if (!(error instanceof HttpClientError)) throw error;
  const { statusCode, message } = error;
  if (statusCode === 404 || (statusCode === 403 && message.startsWith("Resource not accessible by "))) return otherwise;
  throw error;
}
