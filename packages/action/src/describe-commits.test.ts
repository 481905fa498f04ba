import { expect, test } from "vitest";
import { describeCommits } from "./describe-commits.js";

test("says that a pull request is measured as it would be merged", () => {
  expect(describeCommits({ event: "pull_request", sha: "abc1234", head: "def5678" })).toBe(
    "Measured at abc1234, the merge of def5678 into its base.",
  );
  expect(describeCommits({ event: "pull_request_target", sha: "abc1234", head: "def5678" })).toBe(
    "Measured at abc1234.",
  );
  expect(describeCommits({ event: "pull_request", sha: "abc1234", head: "<b>" })).toBe("Measured at abc1234.");
  expect(describeCommits({ event: "pull_request", sha: "<b>", head: "def5678" })).toBeUndefined();
});
