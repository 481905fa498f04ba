import { describe, expect, it, test } from "vitest";
import {
  startFakeGitHub,
  type FakeComment,
  type FakeGitHub,
  type FakeGitHubOptions,
} from "../test/support/fake-github.js";
import { commentMark, keepComment, openConversation, readMark } from "./comment.js";

const RUN = 5;
const MARK = commentMark("key", RUN);

function keep({ url }: FakeGitHub, text: string) {
  const conversation = openConversation({ apiUrl: url, owner: "o", repo: "r", number: 7 }, "secret");
  return keepComment(conversation, { key: "key", run: RUN, body: `${MARK}\n${text}` });
}

function comment(body: string, login = "github-actions[bot]", type: "Bot" | "User" = "Bot"): Omit<FakeComment, "id"> {
  return { body, user: { login, type } };
}

const BY_ALICE = comment(`${MARK}\nmine`, "alice", "User");

describe("keepComment", () => {
  it("writes a comment, then the same one anew", async () => {
    const github = await startFakeGitHub();
    expect(await keep(github, "first")).toBe("created");
    expect(await keep(github, "second")).toBe("updated");
    expect(github.comments.map(({ body }) => body)).toEqual([`${MARK}\nsecond`]);
  });

  it("leaves comments of others alone: of another mark, that quote the mark, or that somebody else began with it", async () => {
    const others = [
      comment(`${commentMark("other", RUN)}\nx`),
      comment(`> ${MARK}`),
      comment(`look:\n${MARK}`),
      comment(`${MARK}\nmine now`, "mallory", "User"),
      comment(`${MARK}\nmine now`, "other-app[bot]"),
    ];
    const github = await startFakeGitHub({ comments: others });
    expect(await keep(github, "text")).toBe("created");
    expect(github.comments.slice(0, 5)).toMatchObject(others);
  });

  const many = Array.from({ length: 120 }, (_, index) => comment(`hello ${index}`));
  it.each<[string, FakeGitHubOptions, number]>([
    [
      "behind many others, with line breaks as a browser sends them",
      { comments: [...many, comment(`${MARK}\r\nx`)] },
      120,
    ],
    ["of the user whose token it is", { login: "alice", comments: [comment(`${MARK}\nx`), BY_ALICE] }, 1],
    ["of an app, which may not ask who it is", { bot: "app[bot]", comments: [comment(`${MARK}\nx`, "app[bot]")] }, 0],
    [
      "that a race has left twice, and removes one",
      { comments: [comment(`${MARK}\na`), BY_ALICE, comment(`${MARK}\nb`)] },
      0,
    ],
  ])("finds the comment %s, and leaves the others alone", async (_, options, at) => {
    const github = await startFakeGitHub(options);
    expect(await keep(github, "new")).toBe("updated");
    const { comments = [] } = options;
    const expected = comments.filter(({ body }) => !body.endsWith("\nb")).map(({ body }) => body);
    expect(github.comments.map(({ body }) => body)).toEqual(expected.with(at, `${MARK}\nnew`));
  });

  it("leaves one comment where two runs begin one at the same time: the first, with the text of the later run", async () => {
    const later = `${commentMark("key", RUN + 1)}\nlater`;
    const behind = await startFakeGitHub({ meanwhile: [later] });
    expect(await keep(behind, "ours")).toBe("outdated");
    expect(behind.comments).toMatchObject([{ id: 1, body: later }]);

    const ahead = await startFakeGitHub({ meanwhile: [`${commentMark("key", RUN - 1)}\nearlier`] });
    expect(await keep(ahead, "ours")).toBe("updated");
    expect(ahead.comments).toMatchObject([{ id: 1, body: `${MARK}\nours` }]);
  });

  it("does not overwrite a later run, when the job of an older one is run again", async () => {
    const later = `${commentMark("key", RUN + 1)}\nlater`;
    const github = await startFakeGitHub({ comments: [comment(later)] });
    expect(await keep(github, "old")).toBe("outdated");
    expect(github.comments).toMatchObject([{ body: later }]);
    const same = await startFakeGitHub({ comments: [comment(`${MARK}\nfirst attempt`)] });
    expect(await keep(same, "second attempt")).toBe("updated");
  });

  it("says when the token may not write", async () => {
    expect(await keep(await startFakeGitHub({ isReadOnly: true }), "text")).toBe("refused");
    expect(await keep(await startFakeGitHub({ status: 404, message: "Not Found" }), "text")).toBe("refused");
  });

  it.each([
    [401, "Bad credentials"],
    [403, "API rate limit exceeded for installation"],
    [403, "Unable to create comment because issue is locked."],
    [500, "Something fails."],
  ])("rejects with what GitHub says where it is no matter of the token: %i, %s", async (status, message) => {
    await expect(keep(await startFakeGitHub({ status, message }), "text")).rejects.toThrow(message);
  });
});

test("a mark is one line that its key cannot end", () => {
  expect(commentMark("CI/bench/__run", 12)).toBe("<!-- lbbench report CI%2Fbench%2F__run run 12 -->");
  expect(commentMark("a --> <b>\nc", 1)).toBe("<!-- lbbench report a%20%2D%2D%3E%20%3Cb%3E%0Ac run 1 -->");
});

test("different keys have different marks, and a mark tells its run", () => {
  const keys = ["a", "a-", "a%2D", "A", "a b", "a run 3"];
  for (const key of keys) {
    const body = `${commentMark(key, 3)}\r\ntext`;
    expect(keys.map((other) => readMark(body, other))).toEqual(keys.map((other) => (other === key ? 3 : undefined)));
  }
  expect(readMark(`> ${commentMark("a", 3)}`, "a")).toBeUndefined();
  expect(readMark(`${commentMark("a", 3)} more`, "a")).toBeUndefined();
});
