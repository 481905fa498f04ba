import { notice, warning } from "@actions/core";
import { connectGitHub } from "./call-github.js";
import { commentMark } from "./comment-mark.js";
import type { CommentFrame } from "./compose-comment.js";
import { describeCommits } from "./describe-commits.js";
import { keepComment } from "./keep-comment.js";
import { printLines } from "./print-line.js";
import { readPullRequest } from "./read-pull-request.js";
import type { ActionInputs } from "./read-inputs.js";

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
  const { owner, repo, number, run } = pull;
  const key = commentKey ?? pull.step;
  try {
    const body = await compose({
      mark: commentMark(key, run),
      runUrl: pull.runUrl,
      measured: describeCommits(pull),
    });
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
