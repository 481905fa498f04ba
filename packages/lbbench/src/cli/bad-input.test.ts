import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { ExitCode } from "./io.js";

/**
 * Command lines, split at blanks, and behind the arrow the parts that their message must hold, with `;` between them. URL stands for the
 * address of a server that counts.
 */
const BAD_COMMANDS = readFileSync(new URL("./test-support/bad-commands.txt", import.meta.url), "utf8");

const FILES = {
  file: "",
  "other.json": '{"name": "other"}',
  "weightless.json": '[{}, {"weight": 0}]',
  "missing.json": '[{}, {"bodiesFile": "none"}]',
  "half.json": "[{",
  "typed.json": '{"trials": "three"}',
  "deep.json": '{"request": {"headers": {"Accept": 1}}}',
  "option.json": '{"targets": [{"name": "a", "server": "single", "options": {"handlr": "hello"}}]}',
  // Of a sweep, whose levels and time are not those of faults.
  "steady.json": '{"targets": ["balanced"], "connections": [1], "duration": "3s", "restart": "trial"}',
  "list.json": "[1, 2]",
  "shop.json": '{"targets": [{"name": "shop", "server": "single"}]}',
  "crew.json": '{"workers": "wait:2"}',
  "throwing.mjs": 'throw new Error("no luck today")',
};

describe("lbbench with bad input", () => {
  it.each(
    BAD_COMMANDS.trim()
      .split("\n")
      .map((line) => line.split(" => ")),
  )("refuses lbbench %s before a connection is made, and leaves nothing: %s", async (command = "", message = "") => {
    const server = await startTestServer();
    const cwd = temporaryFolder(FILES);
    const words = command.split(" ").map((word) => word.replace("URL", server.url));
    expectRefusal(await runCommand(words, cwd), message.split(" ; "));
    expect(server.connections()).toBe(0);
    expect(readdirSync(cwd).toSorted(), "files left behind").toEqual(Object.keys(FILES).toSorted());
  });

  it("explains itself on stderr when there is no command", async () => {
    const { code, stdout, stderr } = await runCommand([], temporaryFolder());
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toContain("Usage: lbbench [options] [command]");
  });
});
