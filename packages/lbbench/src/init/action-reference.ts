/** What is in place of the owner where the package does not tell its repository. */
export const UNKNOWN_OWNER = "OWNER";

/** What tells where a package comes from: fields of its package.json. */
export interface PackageOrigin {
  readonly version: string;
  readonly repository?: string | { readonly url: string };
}

/**
 * How a workflow names the Action of this version, `OWNER/NAME@v1`: the repository that the package was published from, and
 * the tag of the line in which nothing breaks, which release/announce.sh moves: `v1` of 1.2.3, and `v0.1` of 0.1.2, because before
 * 1.0.0 a minor version may break things. A version to be tried (`1.0.0-rc.1`) has its own tag alone.
 */
export function actionReference({ version, repository }: PackageOrigin): string {
  const address = typeof repository === "object" ? repository.url : repository;
  const [, name = `${UNKNOWN_OWNER}/lbbench`] =
    /github(?:\.com[/:]|:)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(address ?? "") ?? [];
  return `${name}@v${version.includes("-") ? version : lineOf(version)}`;
}

function lineOf(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  return major === "0" ? `${major}.${minor}` : major;
}
