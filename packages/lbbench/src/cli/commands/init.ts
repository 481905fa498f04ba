import { DEFAULTS } from "../../config/defaults.js";
import type { Setting } from "../../config/field.js";
import { settingsOf } from "../../config/settings.js";
import type { InitFlags } from "../../init/write-project.js";
import { ExitCode, type Command } from "../io.js";
import { columnsOf, toPrintable } from "../terminal.js";

// oxfmt-ignore
const SETTINGS: readonly Setting[] = [
  { flags: "--url <url>", about: "measure a server that is running already" },
  { flags: "--command <line>",
    about: "measure a program that lbbench starts, without a shell; it listens on the port in PORT",
    default: "as package.json starts it" },
  { flags: "--backends <count>",
    about: "measure so many of that program behind a balancer, beside one alone",
    example: `${DEFAULTS.balancedBackends}` },
  { flags: "--samples",
    about: "measure the sample servers of lbbench", default: "where no program is found" },
  ...settingsOf("init"),
  { flags: "--format <language>", kind: "word",
    about: "language of the config: ts or json", words: ["ts", "json"],
    default: "ts" },
  { flags: "--scripts",
    about: "add npm scripts to package.json: bench, bench:max", default: "where there is one" },
  { flags: "--no-scripts", value: false, about: "leave package.json as it is" },
  { flags: "--workflow", about: "write .github/workflows/lbbench.yml and the config that it uses" },
  { flags: "--no-workflow", value: false, about: "write no workflow", default: "unless asked for" },
  { flags: "--keep", about: "leave files that are there already as they are, and write the others" },
  { flags: "--force",
    about: "overwrite files, and replace scripts of package.json that have the same names" },
  { flags: "--dry-run", about: "print what would be written, and write nothing" },
  { flags: "-y, --yes", about: "ask nothing: take flags and defaults, as without a terminal" },
];

/** `lbbench init`. */
export const initCommand: Command = {
  name: "init",
  summary: "write a config for a project, npm scripts and, if wanted, a workflow",
  about:
    "Writes a config with comments into this folder (lbbench.config.*), adds npm scripts to its package.json and, if wanted, a workflow of " +
    "GitHub that compares base and head of a pull request.\n" +
    "On a terminal it asks for what no flag says. It overwrites nothing without being told, and installs nothing.",
  settings: SETTINGS,
  examples: [
    "init",
    'init --command "node server.js" --backends 4 --workflow',
    "init --url http://127.0.0.1:3000/ --yes",
  ],
  execute: async ({ flags, read, cwd, openStdin, stdout, stderr }) => {
    const { writeProject } = await import("../../init/write-project.js");
    const isAsked = flags["yes"] !== true && openStdin().isTTY === true && stdout.isTTY === true;
    const terminal = isAsked ? { input: openStdin(), output: stdout } : undefined;
    const text = await writeProject(cwd, await read<InitFlags>(), { terminal, columns: columnsOf(stdout) });
    if (text === undefined) {
      stderr.write("Nothing was written.\n");
      return ExitCode.interrupted;
    }
    stdout.write(toPrintable(text));
    return ExitCode.pass;
  },
};
