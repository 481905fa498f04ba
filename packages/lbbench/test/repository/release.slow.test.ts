import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { TOOL } from "../../src/own-package.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";

const { version } = JSON.parse(readDocument("packages/lbbench/package.json")) as { version: string };
const FOLDERS = readdirSync(inRepository("packages")).map((name) => `packages/${name}`);
const MANIFESTS = ["package.json", "docs/package.json", ...FOLDERS.map((folder) => `${folder}/package.json`)];
/** In the order in which they are published. */
const PUBLISHED = ["@lbbench/wire", "@lbbench/proxy", "@lbbench/backends", "@lbbench/worker", "lbbench"];

/** Copies what has a version, with something that is not released yet; returns the folder. */
function copyOfVersions(): string {
  const folder = temporaryFolder();
  for (const file of [...MANIFESTS, "package-lock.json", "CHANGELOG.md", ".changeset/config.json"]) {
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

function run(folder: string, command: string, env: NodeJS.ProcessEnv = process.env) {
  const [script = "", ...args] = command.split(" ");
  const program = script.endsWith(".sh") ? "bash" : process.execPath;
  return spawnSync(program, [inRepository(`release/${script}`), ...args], { cwd: folder, env, encoding: "utf8" });
}

function packedFile(name: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

describe("versions", () => {
  it("agree everywhere: packages, what they depend on, the lockfile, the changelog, the tool, the tag", () => {
    expect(run(inRepository("."), `release.mjs check v${version}`)).toMatchObject({ stderr: "", status: 0 });
    expect(TOOL.version).toBe(version);
  });

  it("that differ are told, each with its place", () => {
    const folder = copyOfVersions();
    change(folder, "packages/proxy/package.json", /"version": "[^"]+"/, '"version": "9.9.1"');
    change(folder, "packages/lbbench/package.json", /"@lbbench\/proxy": "[^"]+"/, '"@lbbench/proxy": "9.9.2"');
    const locked = /("packages\/backends": \{\s+"name": "[^"]+",\s+"version": )"[^"]+"/;
    change(folder, "package-lock.json", locked, '$1"9.9.3"');
    change(folder, "CHANGELOG.md", /^## \[\d[^\]]*\]/m, "## [9.9.4]");
    const { stderr, status } = run(folder, "release.mjs check v9.9.5");
    expect(status).toBe(1);
    for (const [at, place] of [
      "packages/proxy: version",
      "packages/lbbench: @lbbench/proxy",
      "package-lock.json: packages/backends: version",
      "CHANGELOG.md: newest section",
      "tag",
    ].entries())
      expect(stderr).toContain(`  ${place}: 9.9.${at + 1}\n`);
    expect(stderr).toContain("Run: npm run version");
  });

  it("are raised everywhere by one command, and what is unreleased becomes the section of the new one", () => {
    const folder = copyOfVersions();
    writeFileSync(join(folder, ".changeset/one.md"), '---\n"@lbbench/proxy": major\n---\n\nA thing.\n');
    const { stdout, stderr, status } = run(folder, "release.mjs version");
    expect(status, stderr).toBe(0);
    // It is npm ci that builds, and the bundle of the Action is made by a command of its own.
    expect(stdout).toContain("npm ci && npm run build:action");
    expect(run(folder, "release.mjs check v1.0.0").stdout).toMatch(/^1\.0\.0 in all \d+ places/);
    expect(run(folder, "release.mjs notes v1.0.0").stdout).toBe("### Fixed\n\n- A thing.\n");
    for (const file of [...MANIFESTS, "package-lock.json"]) {
      // Nothing but versions has changed, to the last space.
      const lines = readFileSync(join(folder, file), "utf8").split("\n");
      const before = readDocument(file).split("\n");
      expect(lines.map((line, at) => (/"(version|@?lbbench.*)": "1\.0\.0"/.test(line) ? before[at] : line))).toEqual(
        before,
      );
    }
  });

  it("are not raised where nothing says by how much, or nothing is there to tell", () => {
    const folder = copyOfVersions();
    expect(run(folder, "release.mjs version")).toMatchObject({
      stderr: expect.stringContaining("npx changeset"),
      status: 1,
    });
    change(folder, "CHANGELOG.md", /### Fixed\n\n- A thing\.\n/, "");
    expect(run(folder, "release.mjs version").stderr).toMatch(
      /expected what changes for users under "## \[Unreleased\]"/,
    );
    expect(run(folder, "release.mjs check").status).toBe(0);
  });
});

describe("packing", () => {
  it("needs to know the repository", () => {
    const env = { ...process.env, GITHUB_REPOSITORY: "$(whoami)/x" };
    expect(run(copyOfVersions(), `pack.sh ${temporaryFolder()}`, env)).toMatchObject({
      stderr: expect.stringContaining('GITHUB_REPOSITORY: expected OWNER/NAME, got "$(whoami)/x"'),
      status: 1,
    });
  });

  it("takes every package that is not private, puts the address of the repository into it, and leaves it as it is here", () => {
    const folder = copyOfVersions();
    for (const name of ["lbbench", "wire", "proxy", "backends", "worker"]) {
      mkdirSync(join(folder, "packages", name, "dist"));
      writeFileSync(join(folder, "packages", name, "dist/index.js"), `// ${name}`);
    }
    const out = temporaryFolder();
    const { stderr, status } = run(folder, `pack.sh ${out}`, { ...process.env, GITHUB_REPOSITORY: "some/thing" });
    expect(status, stderr).toBe(0);
    for (const file of MANIFESTS) expect(readFileSync(join(folder, file), "utf8")).toBe(readDocument(file));
    const manifests = FOLDERS.map((at) => JSON.parse(readDocument(`${at}/package.json`)) as { name: string });
    const names = manifests.filter((manifest) => !("private" in manifest)).map(({ name }) => name);
    expect(readdirSync(out).toSorted()).toEqual(names.map(packedFile).toSorted());
    expect(names.toSorted()).toEqual(PUBLISHED.toSorted());
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

/** What npm has of each package: versions, or tags as `latest=1.0.0`; or that it does not tell. */
type Published = readonly string[] | "broken";

/** A folder with packed packages of a version, and in the place of npm a program that writes down what it was asked. */
function aPackedRelease(which: string, published: Published, npmVersion = "11.6.0") {
  const folder = temporaryFolder({ asked: "" });
  const [packed, asked] = [join(folder, "packed"), join(folder, "asked")];
  mkdirSync(join(packed, "package"), { recursive: true });
  const files = PUBLISHED.map((name) => {
    const file = join(packed, packedFile(name).replace(version, which));
    writeFileSync(join(packed, "package/package.json"), JSON.stringify({ name, version: which }));
    expect(spawnSync("tar", ["-czf", file, "-C", packed, "package/package.json"]).status).toBe(0);
    return file;
  });
  const known = (published === "broken" ? [] : published).map((one) => {
    const [tag = "", of = tag] = one.split("=");
    return `*@${tag}) echo '"${of}"'; exit ;;`;
  });
  const program = `#!/bin/sh
case "$1" in
  --version) echo ${npmVersion} ;;
  view)
    case "$2" in ${known.join(" ")} esac
    echo '{"error":{"code":"${published === "broken" ? "ECONNREFUSED" : "E404"}"}}'; exit 1 ;;
  publish) echo "$*" >> ${asked} ;;
esac
`;
  mkdirSync(join(folder, "programs"));
  writeFileSync(join(folder, "programs/npm"), program, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(folder, "programs")}:${process.env["PATH"]}` };
  return {
    files,
    publish: (flags = "") => run(folder, `publish.sh packed ${flags}`.trim(), env),
    asked: () => readFileSync(asked, "utf8").split("\n").slice(0, -1),
  };
}

describe("publishing", () => {
  it.each([
    ["goes in order of dependence, with what was packed and with provenance", "", ""],
    ["by hand asks for no provenance", "--no-provenance --dry-run", " --no-provenance --dry-run"],
  ])("%s", (_, flags, asks) => {
    const { publish, asked } = aPackedRelease(version, []);
    expect(publish(flags)).toMatchObject({ stderr: "", status: 0 });
    expect(asked()).toEqual(
      PUBLISHED.map((name) => `publish packed/${packedFile(name)} --access public --tag latest --provenance${asks}`),
    );
  });

  it.each([
    ["9.1.0", ["latest=9.0.9", "next=9.2.0-rc.1"], "latest"],
    ["9.10.0", ["latest=9.9.9"], "latest"],
    ["9.9.9", ["latest=9.10.0"], "release-9.9"],
    ["9.1.0-rc.1", ["latest=9.2.0"], "next"],
    ["9.1.0-rc.9", ["next=9.1.0-rc.10"], "release-9.1-next"],
  ])("moves no tag of npm back: %s beside %j becomes %s", (which, published, tag) => {
    const { publish, asked } = aPackedRelease(which, published);
    expect(publish().stderr).toBe("");
    expect(asked()).toHaveLength(PUBLISHED.length);
    for (const line of asked()) expect(line).toContain(` --tag ${tag} `);
  });

  it("leaves out what is published already", () => {
    const { publish, asked } = aPackedRelease(version, [version]);
    const { stdout, status } = publish();
    expect(stdout.match(/ is published already\.$/gm)).toHaveLength(PUBLISHED.length);
    expect(status).toBe(0);
    expect(asked()).toEqual([]);
  });

  it("publishes nothing where npm does not tell what it has, a package is missing, or npm is too old to do without a token", () => {
    const broken = aPackedRelease(version, "broken");
    expect(broken.publish()).toMatchObject({ stderr: expect.stringContaining("ECONNREFUSED"), status: 1 });
    const incomplete = aPackedRelease(version, []);
    rmSync(incomplete.files[2] ?? "");
    expect(incomplete.publish().stderr).toContain("packed/lbbench-");
    const old = aPackedRelease(version, [], "11.5.0");
    expect(old.publish().stderr).toContain("Expected npm 11.5.1 or later");
    expect([...broken.asked(), ...incomplete.asked(), ...old.asked()]).toEqual([]);
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
    const { status, stderr } = spawnSync("bash", [inRepository("release/announce.sh"), "notes.md", "a.tgz"], {
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
    expect(asked).toBe(`release create ${tag} --verify-tag --title ${tag} --notes-file notes.md${flags} a.tgz\n`);
    expect(tags).toEqual(after);
  });
});
