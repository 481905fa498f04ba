const SHA = /^[0-9a-f]{7,64}$/;

/** The commits that an event of a workflow names. */
export interface EventCommits {
  /** `pull_request`, `pull_request_target`, ... */
  readonly event: string;
  /** What the runner checks out unless it is told otherwise. */
  readonly sha: unknown;
  /** The last commit of the pull request. */
  readonly head: unknown;
}

/** Says what was measured: of a pull request not its last commit, but what comes of merging that. `undefined` where nothing is known. */
export function describeCommits({ event, sha, head }: EventCommits): string | undefined {
  if (!isSha(sha)) return undefined;
  const isMerge = event === "pull_request" && isSha(head) && head !== sha;
  return `Measured at ${sha}${isMerge ? `, the merge of ${head} into its base` : ""}.`;
}

function isSha(value: unknown): value is string {
  return typeof value === "string" && SHA.test(value);
}
