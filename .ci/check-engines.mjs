// Says which packages of package-lock.json want another Node than the oldest ones that package.json promises, whoever brings them along.
import { readFileSync } from "node:fs";
import semver from "semver";

/** What wants another Node: `content-type 3.1.1 wants node >=22, not 20.19.0`. */
export function findTooNew(promised, { packages }) {
  const oldest = promised.split("||").map((range) => semver.minVersion(range).version);
  return Object.entries(packages).flatMap(([path, { version, engines }]) => {
    const refused = oldest.filter((node) => !semver.satisfies(node, engines?.node ?? "*"));
    if (refused.length === 0) return [];
    const name = path.split("node_modules/").at(-1);
    return [`${name} ${version} wants node ${engines.node}, not ${refused.join(" or ")}`];
  });
}

if (import.meta.filename === process.argv[1]) {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const found = findTooNew(engines.node, JSON.parse(readFileSync("package-lock.json", "utf8")));
  for (const line of found) process.stderr.write(`${line}\n`);
  if (found.length > 0) process.exitCode = 1;
}
