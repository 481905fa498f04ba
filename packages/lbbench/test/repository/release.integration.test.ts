import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { TOOL } from "../../src/own-package.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { inRepository, readDocument } from "./repository.js";

const { version } = JSON.parse(readDocument("package.json")) as { version: string };
const FOLDERS = readdirSync(inRepository("packages")).map((name) => `packages/${name}`);
const MANIFESTS = ["package.json", ...FOLDERS.map((folder) => `${folder}/package.json`)];
const PUBLISHED = ["lbbench", "@lbbench/proxy", "@lbbench/backends"];

/** Copies what has a version, with something that is not released yet; returns the folder. */
function copyOfVersions(): string {
  const folder = temporaryFolder();
  for (const file of [...MANIFESTS, "package-lock.json", "CHANGELOG.md"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(inRepository(file), join(folder, file));
  }
  change(folder, "CHANGELOG.md", /(## \[Unreleased\]\n)[\s\S]*?(?=## \[\d)/, "$1\n### Fixed\n\n- A thing.\n\n");
  return folder;
}

function change(folder: string, file: string, from: RegExp, to: string): void {
  const before = readFileSync(join(folder, file), "utf8");
  expect(before).toMatch(from);
  writeFileSync(join(folder, file), before.replace(from, to));
}

function run(folder: string, script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const options = { cwd: folder, env, encoding: "utf8" } as const;
  return spawnSync(process.execPath, [inRepository(`release/${script}`), ...args], options);
}

function packedFile(name: string, which = version): string {
  return `${name.replace("@", "").replace("/", "-")}-${which}.tgz`;
}

describe("versions", () => {
  it("agree everywhere: packages, what they depend on, the lockfile, the changelog, the tool, the tag", () => {
    expect(run(inRepository("."), "check.mjs", [`v${version}`])).toMatchObject({ stderr: "", status: 0 });
    expect(TOOL.version).toBe(version);
  });

  it("that differ are told, each with its place", () => {
    const folder = copyOfVersions();
    change(folder, "packages/proxy/package.json", /"version": "[^"]+"/, '"version": "9.9.1"');
    change(folder, "packages/lbbench/package.json", /"@lbbench\/proxy": "[^"]+"/, '"@lbbench/proxy": "9.9.2"');
    const locked = /("packages\/backends": \{\s+"name": "[^"]+",\s+"version": )"[^"]+"/;
    change(folder, "package-lock.json", locked, '$1"9.9.3"');
    change(folder, "CHANGELOG.md", /^## \[\d[^\]]*\]/m, "## [9.9.4]");
    const { stderr, status } = run(folder, "check.mjs", ["v9.9.5"]);
    expect(status).toBe(1);
    for (const [at, place] of [
      "packages/proxy/package.json: version",
      "packages/lbbench/package.json: dependencies.@lbbench/proxy",
      "package-lock.json: packages/backends/package.json: version",
      "CHANGELOG.md: newest section",
      "tag",
    ].entries())
      expect(stderr).toContain(`  ${place}: 9.9.${at + 1}\n`);
  });

  it("are raised everywhere by one command, and what is unreleased becomes the section of the new one", () => {
    const folder = copyOfVersions();
    const { stdout, stderr } = run(folder, "set-version.mjs", ["9.1.0-rc.1"]);
    expect(stderr).toBe("");
    // It is npm ci that builds, and the bundle of the Action is made by a command of its own.
    expect(stdout).toContain("npm ci && npm run build:action");
    expect(run(folder, "check.mjs", ["v9.1.0-rc.1"]).stdout).toMatch(/^9\.1\.0-rc\.1 in all \d+ places/);
    expect(run(folder, "notes.mjs", ["v9.1.0-rc.1"]).stdout).toBe("### Fixed\n\n- A thing.\n");
    for (const file of [...MANIFESTS, "package-lock.json"]) {
      // Nothing but versions has changed, to the last space.
      const asBefore = readFileSync(join(folder, file), "utf8").replaceAll("9.1.0-rc.1", version);
      expect(asBefore, file).toBe(readDocument(file));
    }
  });

  it("are raised to nothing that is no version, is not above the one there is, or has nothing to tell", () => {
    const folder = copyOfVersions();
    const refusals = [
      ["next", /Expected a version such as 0\.2\.0.*got "next"/],
      ["0.02.0", /Expected a version such as 0\.2\.0.*got "0\.02\.0"/],
      ["9.0.0-rc.01", /Expected a version such as 0\.2\.0/],
      ["0.0.9", /Expected a version above .*got 0\.0\.9/],
      [`${version}-rc.1`, /Expected a version above .*-rc\.1/],
      [version, /there is a section of .* already/],
    ] as const;
    for (const [given, message] of refusals) {
      const stderr = expect.stringMatching(message);
      expect(run(folder, "set-version.mjs", [given])).toMatchObject({ stderr, status: 1 });
    }
    change(folder, "CHANGELOG.md", /- A thing\.\n/, "");
    change(folder, "CHANGELOG.md", /### Fixed\n/, "");
    expect(run(folder, "set-version.mjs", ["9.9.9"]).stderr).toMatch(/nothing stands under "## \[Unreleased\]"/);
    expect(run(folder, "check.mjs", []).status).toBe(0);
  });

  it("are compared as Semantic Versioning does", async () => {
    const { compareVersions } = (await import(inRepository("release/packages.mjs"))) as {
      readonly compareVersions: (a: string, b: string) => number;
    };
    // The order of https://semver.org/#spec-item-11, and versions beyond one digit.
    const ascending =
      "0.9.0 0.10.0-rc.2 0.10.0-rc.10 0.10.0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.10";
    for (const [i, one] of ascending.split(" ").entries()) {
      for (const [j, other] of ascending.split(" ").entries()) {
        expect(Math.sign(compareVersions(one, other)), `${one} and ${other}`).toBe(Math.sign(i - j));
      }
    }
  });
});

describe("packing", () => {
  it("needs to know the repository", () => {
    const env = { ...process.env, GITHUB_REPOSITORY: "$(whoami)/x" };
    expect(run(copyOfVersions(), "pack.mjs", [temporaryFolder()], env)).toMatchObject({
      stderr: expect.stringContaining('GITHUB_REPOSITORY: expected OWNER/NAME, got "$(whoami)/x"'),
      status: 1,
    });
  });

  it("puts the address of the repository into what is packed, and leaves the packages as they are", () => {
    const folder = copyOfVersions();
    for (const name of ["lbbench", "proxy", "backends"]) {
      mkdirSync(join(folder, "packages", name, "dist"));
      writeFileSync(join(folder, "packages", name, "dist/index.js"), `// ${name}`);
    }
    const out = temporaryFolder();
    const { stderr, status } = run(folder, "pack.mjs", [out], { ...process.env, GITHUB_REPOSITORY: "some/thing" });
    expect(status, stderr).toBe(0);
    for (const file of MANIFESTS) expect(readFileSync(join(folder, file), "utf8")).toBe(readDocument(file));
    expect(readdirSync(out).toSorted()).toEqual(PUBLISHED.map((name) => packedFile(name)).toSorted());
    const fileOf = (name: string, path: string) =>
      spawnSync("tar", ["-xzOf", join(out, packedFile(name)), `package/${path}`], { encoding: "utf8" }).stdout;
    expect(fileOf("@lbbench/proxy", "dist/index.js")).toBe("// proxy");
    expect(fileOf("lbbench", "CHANGELOG.md")).toBe(readFileSync(join(folder, "CHANGELOG.md"), "utf8"));
    expect(JSON.parse(fileOf("@lbbench/proxy", "package.json"))).toMatchObject({
      version,
      homepage: "https://github.com/some/thing#readme",
      repository: { type: "git", url: "git+https://github.com/some/thing.git", directory: "packages/proxy" },
      bugs: "https://github.com/some/thing/issues",
    });
  });
});

/** What is published of each package, or how the registry answers in place of that. */
type Published = readonly string[] | "unknown" | "broken";

const ANSWERS = { unknown: '{"error":{"code":"E404"}}', broken: '{"error":{"code":"ECONNREFUSED"}}' };

/** A folder with packed packages of a version, and in the place of npm a program that writes down what it was asked. */
function aPackedRelease(which: string, published: Published, npmVersion = "11.6.0") {
  const folder = copyOfVersions();
  if (which !== version) run(folder, "set-version.mjs", [which]);
  const packed = join(folder, "packed");
  mkdirSync(packed);
  for (const name of PUBLISHED) writeFileSync(join(packed, packedFile(name, which)), "");
  const asked = join(folder, "asked");
  writeFileSync(asked, "");
  const isList = typeof published !== "string";
  const program = `#!/bin/sh
case "$1" in
  --version) echo ${npmVersion} ;;
  view) echo '${isList ? JSON.stringify(published) : ANSWERS[published]}'; exit ${isList ? 0 : 1} ;;
  publish) echo "$*" >> ${asked} ;;
esac
`;
  mkdirSync(join(folder, "programs"));
  writeFileSync(join(folder, "programs/npm"), program, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(folder, "programs")}:${process.env["PATH"]}` };
  return {
    packed,
    publish: (...flags: string[]) => run(folder, "publish.mjs", ["packed", ...flags], env),
    asked: () => readFileSync(asked, "utf8").split("\n").slice(0, -1),
  };
}

describe("publishing", () => {
  it("goes in order of dependence, with what was packed and with provenance", () => {
    const { packed, publish, asked } = aPackedRelease(version, "unknown");
    expect(publish()).toMatchObject({ stderr: "", status: 0 });
    const lines = PUBLISHED.map(
      (name) => `publish ${join(packed, packedFile(name))} --access public --tag latest --provenance`,
    );
    expect(asked().toSorted()).toEqual(lines.toSorted());
    expect(asked().at(-1)).toBe(lines[0]);
  });

  it.each([
    ["9.1.0", ["9.0.9", "9.2.0-rc.1"], "latest"],
    ["9.9.9", ["9.10.0"], "release-9.9"],
    ["9.1.0-rc.1", ["9.0.9", "9.2.0"], "next"],
    ["9.1.0-rc.9", ["9.1.0-rc.10"], "release-9.1-next"],
  ])("moves no tag of npm back: %s beside %j becomes %s", (which, published, tag) => {
    const { publish, asked } = aPackedRelease(which, published);
    expect(publish().stderr).toBe("");
    expect(asked()).toHaveLength(PUBLISHED.length);
    for (const line of asked()) expect(line).toContain(` --tag ${tag} `);
  });

  it("leaves out what is published already", () => {
    const { publish, asked } = aPackedRelease(version, [version, "9.0.0"]);
    const { stdout, status } = publish();
    expect(stdout.match(/ is published already\.$/gm)).toHaveLength(PUBLISHED.length);
    expect(status).toBe(0);
    expect(asked()).toEqual([]);
  });

  it.each([
    ["--dry-run", / --tag latest --dry-run$/],
    ["--without-provenance", / --tag latest$/],
  ])("by hand asks for no provenance: %s", (flag, end) => {
    const { publish, asked } = aPackedRelease(version, "unknown");
    expect(publish(flag).status).toBe(0);
    expect(asked()).toHaveLength(PUBLISHED.length);
    for (const line of asked()) expect(line).toMatch(end);
  });

  it.each([
    ["where the registry does not tell what it has", "broken", [], /tell which versions are published.*ECONNREFUSED/],
    ["at a flag that it does not know", "unknown", ["--dryrun"], /\[--dry-run\]/],
  ] as const)("publishes nothing %s", (_, published, flags, message) => {
    const { publish, asked } = aPackedRelease(version, published);
    expect(publish(...flags)).toMatchObject({ stderr: expect.stringMatching(message), status: 1 });
    expect(asked()).toEqual([]);
  });

  it("publishes nothing where a package is missing, or npm is too old to publish without a token", () => {
    const incomplete = aPackedRelease(version, "unknown");
    rmSync(join(incomplete.packed, packedFile("lbbench")));
    expect(incomplete.publish().stderr).toContain(packedFile("lbbench"));
    const old = aPackedRelease(version, "unknown", "11.5.0");
    expect(old.publish().stderr).toContain("Expected npm 11.5.1 or later");
    expect([...incomplete.asked(), ...old.asked()]).toEqual([]);
  });
});

describe("announcing a release", () => {
  /**
   * Announces a tag of a repository with its origin, where other versions and tags that move are already, with a `gh` that writes down what
   * it was asked. Returns which commit, named like its version, the tags that move name afterwards.
   */
  function announce(tag: string, others: readonly string[], moving: Readonly<Record<string, string>>) {
    const folder = temporaryFolder();
    const [origin, clone, checkout] = [join(folder, "origin"), join(folder, "clone"), join(folder, "checkout")];
    const git = (cwd: string, ...args: string[]) => {
      const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
      const { status, stderr, stdout } = spawnSync("git", [...who, ...args], { cwd, encoding: "utf8" });
      expect(status, stderr).toBe(0);
      return stdout;
    };
    git(folder, "init", "--bare", "-q", "-b", "main", origin);
    git(folder, "clone", "-q", origin, clone);
    for (const name of [...others, tag]) {
      git(clone, "commit", "-q", "--allow-empty", "-m", name);
      git(clone, "tag", name);
    }
    for (const [name, at] of Object.entries(moving)) git(clone, "tag", name, at);
    git(clone, "push", "-q", "origin", "HEAD:main", "--tags");
    // As a workflow has it: this one tag, and no other.
    git(folder, "clone", "-q", "--depth=1", "--branch", tag, pathToFileURL(origin).href, checkout);
    const program = `#!/bin/sh\n[ "$2" = view ] && exit 1\necho "$*" >> ${join(folder, "asked")}\n`;
    writeFileSync(join(folder, "gh"), program, { mode: 0o755 });
    const { status, stderr } = spawnSync("bash", [inRepository("release/announce.sh"), "notes.md"], {
      cwd: checkout,
      env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, GITHUB_REF_NAME: tag },
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const moved = git(origin, "tag", "--format=%(refname:short) %(contents:subject)", "--list").split("\n");
    const lines = moved.filter((line) => /^v\d+(\.\d+)? /.test(line));
    const tags: unknown = Object.fromEntries(lines.map((line) => line.split(" ")));
    return { asked: readFileSync(join(folder, "asked"), "utf8"), tags };
  }

  it.each([
    ["a first one", "v0.2.0", ["v0.1.9"], { "v0.1": "v0.1.9" }, { "v0.1": "v0.1.9", "v0.2": "v0.2.0" }],
    ["a next one before 1.0.0", "v0.1.10", ["v0.1.9", "v0.2.0"], { "v0.1": "v0.1.9" }, { "v0.1": "v0.1.10" }],
    ["a next one", "v1.3.0", ["v1.2.9", "v1.4.0-rc.1", "v2.0.0", "v10.0.0"], { v1: "v1.2.9" }, { v1: "v1.3.0" }],
    ["none back", "v1.2.10", ["v1.3.0"], { v1: "v1.3.0" }, { v1: "v1.3.0" }],
    ["none to a version to be tried", "v1.3.0-rc.1", ["v1.2.0"], { v1: "v1.2.0" }, { v1: "v1.2.0" }],
  ])("makes a release, and moves the tag of its line: %s", (_, tag, others, before, after) => {
    const { asked, tags } = announce(tag, others, before);
    const flags = tag.includes("-") ? " --prerelease" : "";
    expect(asked).toBe(`release create ${tag} --verify-tag --title ${tag} --notes-file notes.md${flags}\n`);
    expect(tags).toEqual(after);
  });
});
