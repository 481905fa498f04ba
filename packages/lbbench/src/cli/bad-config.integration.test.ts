import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";

describe("lbbench sweep with a bad config file", () => {
  it.each([
    ["a wrong type", { trials: "three" }, ["trials: expected a whole number of at least 1", 'got "three"']],
    [
      "a wrong type deep inside",
      { request: { headers: { Accept: 1 } } },
      ["request.headers.Accept: expected a text", "got 1"],
    ],
    [
      "a setting that is nearly one",
      { conections: 5 },
      ['there is no setting "conections"', 'Did you mean "connections"?'],
    ],
    [
      "an option of a server that it does not have",
      { targets: [{ name: "a", server: "single", options: { handlr: "hello" } }] },
      ['targets[0] ("a")', 'there is no setting "handlr"', 'Did you mean "handler"?'],
    ],
    [
      "a server that is unknown",
      { targets: [{ name: "a", server: "nginz" }] },
      ["targets[0].server: expected single, cluster", '"nginz"'],
    ],
    ["something that is no object", [1, 2], ["expected an object", "got [ 1, 2 ]"]],
  ])("names the place and the value of %s in a config file", async (_, content, message) => {
    const cwd = temporaryFolder();
    writeConfig(cwd, content);
    expectRefusal(await runCommand(["sweep"], cwd), [...message]);
  });

  it("suggests a target of the config file", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [{ name: "shop", server: "single" }] });
    const outcome = await runCommand(["sweep", "-t", "shopp"], cwd);
    expectRefusal(outcome, ['a target of the config file (shop), got "shopp"', 'Did you mean "shop"?']);
  });

  it.each([
    ["lbbench.config.mjs", 'throw new Error("no luck today")', "no luck today"],
    ["lbbench.config.json", "{ targets: }", "could not be read: "],
    ["lbbench.config.ts", "export default { name: ", "could not be read: "],
  ])("says that %s cannot be read, and why", async (name, content, why) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, name), content);
    expectRefusal(await runCommand(["sweep"], cwd), [`The config file ${join(cwd, name)} could not be read`, why]);
  });
});
