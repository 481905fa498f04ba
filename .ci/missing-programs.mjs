import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * The groups of slow tests, each with the folders of its files and the programs they need beside Node; and of each program the command that succeeds where it
 * is there, and what brings it: a package of Debian or a command.
 */
export const { groups: GROUPS, programs: PROGRAMS } = JSON.parse(
  readFileSync(new URL("slow-groups.json", import.meta.url), "utf8"),
);

/** Folders of servers, and what pip puts there for a user: not on the PATH of every user. */
const SERVER_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin", join(homedir(), ".local", "bin")];

/** Of programs, and of those that groups need, the ones that are not here. */
export function missingPrograms(names = Object.keys(GROUPS)) {
  return notInstalled([...new Set(names.flatMap((name) => GROUPS[name]?.needs ?? name))]);
}

/** Those of the programs that are not here. */
export function notInstalled(programs) {
  const env = { ...process.env, PATH: [process.env.PATH, ...SERVER_FOLDERS].join(delimiter) };
  return programs.filter((name) => {
    const [command, ...args] = PROGRAMS[name].probe;
    return spawnSync(command, args, { env, stdio: "ignore" }).status !== 0;
  });
}

/** How to install programs: the packages of Debian in one command, the others after it. */
export function howToInstall(programs) {
  const brings = programs.map((name) => PROGRAMS[name].brings);
  const packages = brings.filter((text) => !text.includes(" "));
  const commands = brings.filter((text) => text.includes(" "));
  return [...(packages.length > 0 ? [`apt-get install -y ${packages.join(" ")}`] : []), ...commands];
}
