import { GitHubError, type CallGitHub } from "./call-github.js";
import { readMark } from "./comment-mark.js";

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
const NOT_ACCESSIBLE = /^Resource not accessible by /;
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
  return status === NOT_FOUND || (status === FORBIDDEN && error instanceof Error && NOT_ACCESSIBLE.test(error.message));
}

function statusOf(error: unknown): number | undefined {
  return error instanceof GitHubError ? error.status : undefined;
}
