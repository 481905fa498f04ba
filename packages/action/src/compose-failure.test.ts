import { expect, test } from "vitest";
import { composeFailure } from "./compose-failure.js";

test("shows a message as code that it cannot end", () => {
  expect(composeFailure("head: did not start\n```\n# <b>@octocat</b>")).toBe(
    "### lbbench: no verdict\n\nThe run could not be made.\n\n````text\nhead: did not start\n```\n# <b>@octocat</b>\n````\n",
  );
});

test("keeps the beginning of a message that is too long", () => {
  expect(composeFailure(`why\n${"x".repeat(100_000)}`).length).toBeLessThan(10_000);
});
