import { notice, warning } from "@actions/core";
import { context, getOctokit } from "@actions/github";
import { commentMark } from "./comment-mark.js";
import type { CommentFrame } from "./compose-comment.js";
import { describeCommits } from "./describe-commits.js";
import { keepComment } from "./keep-comment.js";
import { printLines } from "./print-line.js";
import type { ActionInputs } from "./read-inputs.js";

/**
 * Keeps one comment on the pull request of this run up to date, if it has one. That the token may not write it, that it cannot be made,
 * or that GitHub fails, is told and fails nothing: the report is in the summary.
 */
export async function commentOnPullRequest(
  compose: (frame: CommentFrame) => Promise<string>,
  { commentKey, token }: Pick<ActionInputs, "commentKey" | "token">,
): Promise<void> {
  const pull = context.payload.pull_request;
  if (pull === undefined) return printLines("No comment: this run is not of a pull request.");
  const { owner, repo } = context.repo;
  const key = commentKey ?? [context.workflow, context.job, context.action].join("/");
  try {
    const body = await compose({
      mark: commentMark(key, context.runNumber || 0),
      runUrl: `${context.serverUrl}/${owner}/${repo}/actions/runs/${context.runId}`,
      measured: describeCommits({ event: context.eventName, sha: context.sha, head: pull["head"]?.sha }),
    });
    const outcome =
      token === undefined
        ? "refused"
        : await keepComment(getOctokit(token), { owner, repo, issue: pull.number, key, body });
    if (outcome === "refused") {
      notice(
        "The report is in the summary of the job only: the token may not write a comment on the pull request. That of a pull request " +
          "from a fork may never; otherwise the job needs `permissions: pull-requests: write`.",
      );
    } else if (outcome === "outdated") {
      printLines(`The comment on pull request ${pull.number} is of a later run, and stays.`);
    } else printLines(`The comment on pull request ${pull.number} was ${outcome}.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warning(
      `The report is in the summary of the job only: the comment on the pull request could not be written: ${reason}`,
    );
  }
}
