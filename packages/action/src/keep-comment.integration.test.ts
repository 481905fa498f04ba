import { describe, expect, it } from "vitest";
import { startFakeGitHub, type FakeComment, type FakeGitHub } from "../test/support/fake-github.js";
import { connectGitHub } from "./call-github.js";
import { commentMark } from "./comment-mark.js";
import { keepComment, type CommentOutcome } from "./keep-comment.js";

const RUN = 5;
const MARK = commentMark("key", RUN);

function keep({ url }: FakeGitHub, text: string, token = "secret"): Promise<CommentOutcome> {
  return keepComment(connectGitHub(token, url), {
    owner: "o",
    repo: "r",
    issue: 7,
    key: "key",
    body: `${MARK}\n${text}`,
  });
}

function comment(body: string, login = "github-actions[bot]", type: "Bot" | "User" = "Bot"): Omit<FakeComment, "id"> {
  return { body, user: { login, type } };
}

describe("keepComment", () => {
  it("writes a comment, then the same one anew", async () => {
    const github = await startFakeGitHub();
    expect(await keep(github, "first")).toBe("created");
    expect(await keep(github, "second")).toBe("updated");
    expect(github.comments.map(({ body }) => body)).toEqual([`${MARK}\nsecond`]);
  });

  it("finds it behind many others, with line breaks as a browser sends them", async () => {
    const others = Array.from({ length: 120 }, (_, index) => comment(`hello ${index}`));
    const github = await startFakeGitHub({ comments: [...others, comment(`${MARK}\r\nold`)] });
    expect(await keep(github, "new")).toBe("updated");
    expect(github.comments).toHaveLength(121);
    expect(github.comments.at(-1)?.body).toBe(`${MARK}\nnew`);
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

  it("knows the comments of the user whose token it is", async () => {
    const others = [comment(`${MARK}\nx`), comment(`${MARK}\nmine`, "alice", "User")];
    const github = await startFakeGitHub({ login: "alice", comments: others });
    expect(await keep(github, "new")).toBe("updated");
    expect(github.comments.map(({ body }) => body)).toEqual([`${MARK}\nx`, `${MARK}\nnew`]);
  });

  it("finds what an app has written, which may not ask who it is", async () => {
    const github = await startFakeGitHub({ bot: "my-app[bot]", comments: [comment(`${MARK}\nold`, "my-app[bot]")] });
    expect(await keep(github, "new")).toBe("updated");
    expect(github.comments).toMatchObject([{ id: 1, body: `${MARK}\nnew` }]);
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

  it("removes what an earlier race has left, and nothing of others", async () => {
    const others = [comment("hello"), comment(`${MARK}\nx`, "mallory", "User")];
    const github = await startFakeGitHub({ comments: [comment(`${MARK}\na`), ...others, comment(`${MARK}\nb`)] });
    expect(await keep(github, "new")).toBe("updated");
    expect(github.comments).toMatchObject([{ id: 1, body: `${MARK}\nnew` }, ...others]);
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
  ])(
    "rejects with what GitHub says where it is no matter of what the token may do: %i, %s",
    async (status, message) => {
      await expect(keep(await startFakeGitHub({ status, message }), "text")).rejects.toThrow(message);
    },
  );

  it("rejects when GitHub fails", async () => {
    await expect(keep(await startFakeGitHub({ status: 500 }), "text")).rejects.toThrow("fails");
  });
});
