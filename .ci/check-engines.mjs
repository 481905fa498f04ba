// Says which packages of package-lock.json want another Node than the oldest of each release that is supported, whoever brings them along.
import { readFileSync } from "node:fs";
import semver from "semver";

/**
 * The oldest Node of each release that tests run on. Other releases from 20.19 on are not refused, though packages for development may
 * warn of them.
 */
const OLDEST = ["20.19.0", "22.13.0", "24.0.0"];

/** What wants another Node: `content-type 3.1.1 wants node >=22, not 20.19.0`. */
export function findTooNew({ packages }) {
  return Object.entries(packages).flatMap(([path, { version, engines }]) => {
    const refused = OLDEST.filter((node) => !semver.satisfies(node, engines?.node ?? "*"));
    if (refused.length === 0) return [];
    const name = path.split("node_modules/").at(-1);
    return [`${name} ${version} wants node ${engines.node}, not ${refused.join(" or ")}`];
  });
}

if (import.meta.filename === process.argv[1]) {
  const found = findTooNew(JSON.parse(readFileSync("package-lock.json", "utf8")));
  for (const line of found) process.stderr.write(`${line}\n`);
  if (found.length > 0) process.exitCode = 1;
}
