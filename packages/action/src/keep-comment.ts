import type { getOctokit } from "@actions/github";
import { readMark } from "./comment-mark.js";

type Octokit = ReturnType<typeof getOctokit>;

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
export async function keepComment(octokit: Octokit, comment: KeptComment): Promise<CommentOutcome> {
  const { owner, repo, issue, body } = comment;
  try {
    const known = await listOwn(octokit, comment, await ownLogin(octokit));
    if (known.length > 0) return await settle(octokit, comment, known);
    const { data } = await octokit.rest.issues.createComment({ owner, repo, issue_number: issue, body });
    // Now it is known who writes with this token, and another run may have begun one in the meantime.
    const all = await listOwn(octokit, comment, data.user?.login ?? WORKFLOW);
    if (!all.some(({ id }) => id !== data.id)) return "created";
    return await settle(octokit, comment, all);
  } catch (error) {
    if (isRefusal(error)) return "refused";
    throw error;
  }
}

/** Leaves one comment: the oldest, with the text of the latest run. */
async function settle(
  octokit: Octokit,
  { owner, repo, key, body }: KeptComment,
  comments: readonly OwnComment[],
): Promise<CommentOutcome> {
  const [oldest, ...others] = comments.toSorted((a, b) => a.id - b.id);
  if (oldest === undefined) return "outdated";
  const run = readMark(body, key) ?? 0;
  const latest = comments.reduce((best, one) => (one.run > best.run ? one : best), { id: 0, body, run });
  if (latest.body !== oldest.body) {
    await octokit.rest.issues.updateComment({ owner, repo, comment_id: oldest.id, body: latest.body });
  }
  for (const { id } of others) {
    try {
      await octokit.rest.issues.deleteComment({ owner, repo, comment_id: id });
    } catch (error) {
      // The other run has removed it.
      if (statusOf(error) !== NOT_FOUND) throw error;
    }
  }
  return latest.run > run ? "outdated" : "updated";
}

async function listOwn(
  octokit: Octokit,
  { owner, repo, issue, key }: KeptComment,
  login: string,
): Promise<readonly OwnComment[]> {
  const comments = await octokit.paginate(octokit.rest.issues.listComments, {
    owner,
    repo,
    issue_number: issue,
    per_page: PAGE,
  });
  return comments.flatMap(({ id, body = "", user }) => {
    const run = readMark(body, key);
    return run === undefined || user?.login !== login ? [] : [{ id, body, run }];
  });
}

async function ownLogin(octokit: Octokit): Promise<string> {
  try {
    const { data } = await octokit.rest.users.getAuthenticated();
    return data.login;
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

function statusOf(error: unknown): unknown {
  return error instanceof Error && "status" in error ? error.status : undefined;
}
