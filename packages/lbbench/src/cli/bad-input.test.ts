import { readdirSync, readFileSync } from "node:fs";
import { parseArgsStringToArgv } from "string-argv";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { ExitCode } from "./io.js";

/**
 * Command lines, quoted as for a shell, and behind the arrow the parts that their message must hold, with `;` between them. URL stands for
 * the address of a server that counts; what is in braces behind --config is in the file config.json.
 */
const BAD_COMMANDS = readFileSync(new URL("./test-support/bad-commands.txt", import.meta.url), "utf8");

const FILES = { file: "", "other.json": '{"name": "other"}', "missing.json": '[{}, {"bodiesFile": "none"}]' };

describe("lbbench with bad input", () => {
  it.each(
    BAD_COMMANDS.trim()
      .split("\n")
      .map((line) => line.split(" => ")),
  )("refuses lbbench %s before a connection is made, and leaves nothing: %s", async (command = "", message = "") => {
    const server = await startTestServer();
    const [, config = "{}"] = /--config '(\{.*\})'/.exec(command) ?? [];
    const cwd = temporaryFolder({ ...FILES, "config.json": config });
    const before = readdirSync(cwd);
    const words = parseArgsStringToArgv(command.replace(`'${config}'`, "config.json"));
    const outcome = await runCommand(
      words.map((word) => word.replace("URL", server.url)),
      cwd,
    );
    expectRefusal(outcome, message.split(" ; "));
    expect(server.connections()).toBe(0);
    expect(readdirSync(cwd), "files left behind").toEqual(before);
  });

  it("explains itself on stderr when there is no command", async () => {
    const { code, stdout, stderr } = await runCommand([], temporaryFolder());
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toContain("Usage: lbbench [options] [command]");
  });
});
