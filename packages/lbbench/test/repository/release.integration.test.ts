import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { TOOL } from "../../src/own-package.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { inRepository, readDocument } from "./repository.js";

const { version } = JSON.parse(readDocument("package.json")) as { version: string };
const MANIFESTS = [
  "package.json",
  ...readdirSync(inRepository("packages")).map((name) => `packages/${name}/package.json`),
];

/** Copies what has a version; returns the folder. */
function copyOfVersions(): string {
  const folder = temporaryFolder();
  for (const file of [...MANIFESTS, "package-lock.json", "CHANGELOG.md"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(inRepository(file), join(folder, file));
  }
  return folder;
}

function run(folder: string, script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return spawnSync(process.execPath, [inRepository(`release/${script}`), ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
}

function change(folder: string, file: string, from: string | RegExp, to: string): void {
  const before = readFileSync(join(folder, file), "utf8");
  expect(before).toMatch(from);
  writeFileSync(join(folder, file), before.replace(from, to));
}

/** Writes down something that is not released yet. */
function withNews(folder: string): string {
  change(folder, "CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n### Fixed\n\n- A thing.\n");
  return folder;
}

describe("versions", () => {
  it("agree everywhere: packages, what they depend on, the lockfile, the changelog, the tool", () => {
    const { stderr, status } = run(inRepository("."), "check.mjs", []);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(TOOL.version).toBe(version);
  });

  it.each([
    ["a package", "packages/proxy/package.json", /"version": "[^"]+"/, '"version": "9.9.9"'],
    ["a dependency", "packages/lbbench/package.json", /"@lbbench\/proxy": "[^"]+"/, '"@lbbench/proxy": "9.9.9"'],
    ["the Action", "packages/action/package.json", /"version": "[^"]+"/, '"version": "9.9.9"'],
    [
      "the lockfile",
      "package-lock.json",
      /("packages\/backends": \{\s+"name": "[^"]+",\s+"version": )"[^"]+"/,
      '$1"9.9.9"',
    ],
    ["the changelog", "CHANGELOG.md", /^## \[\d[^\]]*\]/m, "## [9.9.9]"],
  ])("that differ are told: %s", (_, file, from, to) => {
    const folder = copyOfVersions();
    change(folder, file, from, to);
    const { stderr, status } = run(folder, "check.mjs", []);
    expect(stderr).toContain("9.9.9");
    expect(stderr).toContain(file);
    expect(status).toBe(1);
  });

  it("are those of the tag", () => {
    expect(run(copyOfVersions(), "check.mjs", [`v${version}`]).status).toBe(0);
    const { stderr, status } = run(copyOfVersions(), "check.mjs", ["v9.9.9"]);
    expect(stderr).toContain("tag: 9.9.9");
    expect(status).toBe(1);
  });

  it("are raised everywhere by one command, and what is unreleased becomes the section of the new one", () => {
    const folder = withNews(copyOfVersions());
    const { stdout, stderr } = run(folder, "set-version.mjs", ["9.1.0-rc.1"]);
    expect(stderr).toBe("");
    // It is npm ci that builds, and the bundle of the Action is made by a command of its own.
    expect(stdout).toContain("npm ci && npm run build:action");
    expect(run(folder, "check.mjs", ["v9.1.0-rc.1"]).stdout).toMatch(/^9\.1\.0-rc\.1 in all \d+ places/);
    expect(run(folder, "notes.mjs", ["v9.1.0-rc.1"]).stdout).toBe("### Fixed\n\n- A thing.\n");
    expect(run(folder, "notes.mjs", [version]).stdout).toBe(run(inRepository("."), "notes.mjs", [version]).stdout);
    for (const file of [...MANIFESTS, "package-lock.json"]) {
      // Nothing but versions has changed, to the last space.
      const asBefore = readFileSync(join(folder, file), "utf8").replaceAll("9.1.0-rc.1", version);
      expect(asBefore, file).toBe(readDocument(file));
    }
  });

  it.each([
    ["no version", ["next"], /Expected a version such as 0\.2\.0.*got "next"/],
    ["a number that begins with 0", ["0.02.0"], /Expected a version such as 0\.2\.0.*got "0\.02\.0"/],
    ["a word of digits that begins with 0", ["9.0.0-rc.01"], /Expected a version such as 0\.2\.0/],
    ["a lower version", ["0.0.9"], /Expected a version above .*got 0\.0\.9/],
    ["one to be tried before this one", [`${version}-rc.1`], /Expected a version above .*-rc\.1/],
    ["a version that there is", [version], /there is a section of .* already/],
  ])("are not raised to %s", (_, args, message) => {
    const folder = withNews(copyOfVersions());
    const { stderr, status } = run(folder, "set-version.mjs", args);
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
    expect(run(folder, "check.mjs", []).status).toBe(0);
  });

  it("are not raised while the changelog has nothing to say", () => {
    const folder = copyOfVersions();
    change(folder, "CHANGELOG.md", /## \[Unreleased\]\n[\s\S]*?(?=## \[\d)/, "## [Unreleased]\n\n");
    expect(run(folder, "set-version.mjs", ["9.9.9"]).stderr).toMatch(/nothing stands under "## \[Unreleased\]"/);
  });
});

/** The order of https://semver.org/#spec-item-11, and versions beyond one digit. */
const ASCENDING = [
  "0.9.0",
  "0.10.0-rc.2",
  "0.10.0-rc.10",
  "0.10.0",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.10",
];

it("versions are compared as Semantic Versioning does", async () => {
  const { compareVersions } = (await import(inRepository("release/packages.mjs"))) as {
    readonly compareVersions: (a: string, b: string) => number;
  };
  for (const [i, one] of ASCENDING.entries()) {
    for (const [j, other] of ASCENDING.entries()) {
      expect(Math.sign(compareVersions(one, other)), `${one} and ${other}`).toBe(Math.sign(i - j));
    }
  }
});

const PACKAGES = ["lbbench", "@lbbench/proxy", "@lbbench/backends"];

function packedFile(name: string, which = version): string {
  return `${name.replace("@", "").replace("/", "-")}-${which}.tgz`;
}

/** All files below a folder, with what is in them. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]));
}

describe("packing", () => {
  it("needs to know the repository", () => {
    const env = { ...process.env, GITHUB_REPOSITORY: "$(whoami)/x" };
    const { stderr, status } = run(copyOfVersions(), "pack.mjs", [temporaryFolder()], env);
    expect(stderr).toContain('GITHUB_REPOSITORY: expected OWNER/NAME, got "$(whoami)/x"');
    expect(status).toBe(1);
  });

  it("puts the address of the repository into what is packed, and leaves the packages as they are", () => {
    const folder = copyOfVersions();
    const out = temporaryFolder();
    for (const name of ["lbbench", "proxy", "backends"]) {
      mkdirSync(join(folder, "packages", name, "dist"));
      writeFileSync(join(folder, "packages", name, "dist/index.js"), `// ${name}`);
    }
    const before = contentsOf(folder);
    const env = { ...process.env, GITHUB_REPOSITORY: "someone/something" };
    const { stderr, status } = run(folder, "pack.mjs", [out], env);
    expect(status, stderr).toBe(0);
    expect(contentsOf(folder)).toEqual(before);
    expect(readdirSync(out).toSorted()).toEqual(PACKAGES.map((name) => packedFile(name)).toSorted());
    const fileOf = (name: string, path: string) =>
      spawnSync("tar", ["-xzOf", join(out, packedFile(name)), `package/${path}`], { encoding: "utf8" }).stdout;
    expect(fileOf("@lbbench/proxy", "dist/index.js")).toBe("// proxy");
    expect(fileOf("lbbench", "CHANGELOG.md")).toBe(readDocument("CHANGELOG.md"));
    expect(JSON.parse(fileOf("@lbbench/proxy", "package.json"))).toMatchObject({
      version,
      homepage: "https://github.com/someone/something#readme",
      repository: { type: "git", url: "git+https://github.com/someone/something.git", directory: "packages/proxy" },
      bugs: "https://github.com/someone/something/issues",
    });
  });
});

/** What is published of each package, or what the registry answers in place of that. */
type Published = readonly string[] | "unknown" | "broken";

const ANSWERS = { unknown: '{"error":{"code":"E404"}}', broken: '{"error":{"code":"ECONNREFUSED"}}' };

/** A folder with packed packages of a version, and in the place of npm a program that writes down what it was asked. */
function aPackedRelease(which: string, published: Published, npmVersion = "11.6.0") {
  const folder = withNews(copyOfVersions());
  if (which !== version) run(folder, "set-version.mjs", [which]);
  const packed = join(folder, "packed");
  mkdirSync(packed);
  for (const name of PACKAGES) writeFileSync(join(packed, packedFile(name, which)), "");
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const answer = typeof published === "string" ? ANSWERS[published] : JSON.stringify(published);
  const asked = join(folder, "asked");
  writeFileSync(asked, "");
  writeFileSync(
    join(programs, "npm"),
    `#!/bin/sh
case "$1" in
  --version) echo ${npmVersion} ;;
  view) echo '${answer}'; exit ${typeof published === "string" ? 1 : 0} ;;
  publish) echo "$*" >> ${asked} ;;
esac
`,
    { mode: 0o755 },
  );
  const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}` };
  return {
    packed,
    publish: (...flags: string[]) => run(folder, "publish.mjs", ["packed", ...flags], env),
    asked: () => readFileSync(asked, "utf8").split("\n").slice(0, -1),
  };
}

describe("publishing", () => {
  it("goes in order of dependence, with what was packed and with provenance", () => {
    const { packed, publish, asked } = aPackedRelease(version, "unknown");
    const { stderr, status } = publish();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const lines = PACKAGES.map(
      (name) => `publish ${join(packed, packedFile(name))} --access public --tag latest --provenance`,
    );
    expect(asked().toSorted()).toEqual(lines.toSorted());
    expect(asked().at(-1)).toBe(lines[0]);
  });

  it.each([
    ["9.1.0", ["9.0.9", "9.2.0-rc.1"], "latest"],
    ["9.1.0", ["9.0.9", "9.2.0"], "release-9.1"],
    ["9.9.9", ["9.10.0"], "release-9.9"],
    ["9.1.0-rc.1", ["9.0.9", "9.2.0"], "next"],
    ["9.1.0-rc.9", ["9.1.0-rc.10"], "release-9.1-next"],
    ["9.1.0-rc.1", [], "next"],
  ])("moves no tag of npm back: %s beside %j becomes %s", (which, published, tag) => {
    const { publish, asked } = aPackedRelease(which, published);
    expect(publish().stderr).toBe("");
    expect(asked()).toHaveLength(PACKAGES.length);
    for (const line of asked()) expect(line).toContain(` --tag ${tag} `);
  });

  it.each([[[]], [["--dry-run"]]])("leaves out what is published already: with %j", (flags) => {
    const { publish, asked } = aPackedRelease(version, [version, "9.0.0"]);
    const { stdout, status } = publish(...flags);
    expect(stdout.trim().split("\n").toSorted()).toEqual(
      PACKAGES.map((name) => `${name}@${version} is published already.`).toSorted(),
    );
    expect(status).toBe(0);
    expect(asked()).toEqual([]);
  });

  it.each([
    ["--dry-run", / --tag latest --dry-run$/],
    ["--without-provenance", / --tag latest$/],
  ])("by hand asks for no provenance: %s", (flag, end) => {
    const { publish, asked } = aPackedRelease(version, "unknown");
    expect(publish(flag).status).toBe(0);
    expect(asked()).toHaveLength(PACKAGES.length);
    for (const line of asked()) expect(line).toMatch(end);
  });

  it("publishes nothing where a package is missing, or where the registry does not tell what it has", () => {
    const incomplete = aPackedRelease(version, "unknown");
    rmSync(join(incomplete.packed, packedFile("lbbench")));
    expect(incomplete.publish().stderr).toContain(packedFile("lbbench"));
    expect(incomplete.asked()).toEqual([]);
    const broken = aPackedRelease(version, "broken");
    const { stderr, status } = broken.publish();
    expect(stderr).toMatch(/expected npm to tell which versions are published.*ECONNREFUSED/);
    expect(status).toBe(1);
    expect(broken.asked()).toEqual([]);
  });

  it("stops where npm is too old to publish without a token, and at a flag that it does not know", () => {
    expect(aPackedRelease(version, "unknown", "11.5.0").publish().stderr).toContain("Expected npm 11.5.1 or later");
    const { publish, asked } = aPackedRelease(version, "unknown");
    expect(publish("--dryrun").stderr).toContain("[--dry-run]");
    expect(asked()).toEqual([]);
  });
});

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

const workflows = readdirSync(inRepository(".github/workflows")).map((name) => ({
  name,
  workflow: parse(readDocument(`.github/workflows/${name}`)) as Workflow,
}));

describe("the workflows", () => {
  it.each(workflows)("$name puts no value into a command but by the environment", ({ workflow }) => {
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run: command }) => command ?? []),
    );
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => command.includes("${{"))).toEqual([]);
  });

  it("release asks for the identity where it publishes, for writing where it announces, and for no secret", () => {
    const text = readDocument(".github/workflows/release.yml");
    const { permissions, jobs } = parse(text) as Workflow;
    expect(permissions).toEqual({});
    expect(Object.entries(jobs).map(([name, job]) => [name, job.needs, job.permissions])).toEqual([
      ["check", undefined, { contents: "read" }],
      ["publish", "check", { contents: "read", "id-token": "write" }],
      ["announce", "publish", { contents: "write" }],
    ]);
    expect(text).not.toContain("secrets.");
  });

  it.each(workflows)("$name names the actions of others by the commits that docs/github-action.md names", (one) => {
    const usesOf = (path: string) =>
      [...readDocument(path).matchAll(/uses: (actions\/\S+)@(.*)/g)].map(([, action = "", commit = ""]) => ({
        action,
        commit,
      }));
    const known = new Map(usesOf("docs/github-action.md").map(({ action, commit }) => [action, commit]));
    const used = usesOf(`.github/workflows/${one.name}`);
    expect(used.length).toBe(readDocument(`.github/workflows/${one.name}`).split("uses:").length - 1);
    for (const { action, commit } of used) {
      expect(commit, action).toMatch(/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      expect(known.get(action) ?? commit, action).toBe(commit);
    }
  });

  it("release takes tags of main alone, and publishes what was checked without installing anything", () => {
    const { jobs } = parse(readDocument(".github/workflows/release.yml")) as Workflow;
    const commandsOf = (name: string) => jobs[name]?.steps.flatMap(({ run: command }) => command ?? []);
    const check = commandsOf("check") ?? [];
    expect(check.indexOf("git merge-base --is-ancestor HEAD origin/main")).toBe(0);
    expect(check.indexOf("node release/pack.mjs packed")).toBeGreaterThan(check.indexOf("bash .ci/run"));
    expect(jobs["check"]?.steps[0]?.with).toMatchObject({ "fetch-depth": 0 });
    expect(commandsOf("publish")).toEqual(["node release/publish.mjs packed"]);
    expect(jobs["publish"]?.environment).toBe("npm");
  });

  it("release runs scripts that are there", () => {
    const scripts = [...readDocument(".github/workflows/release.yml").matchAll(/(?:node|bash) ([\w./]+)/g)];
    expect(scripts.length).toBeGreaterThan(3);
    for (const [, script = ""] of scripts) expect(() => readDocument(script)).not.toThrow();
  });
});

describe("announcing a release", () => {
  /**
   * Announces a tag of a repository with its origin, where other versions and tags that move are already, with a `gh` that writes down what
   * it was asked. Returns which commit, named like its version, the tags that move name afterwards.
   */
  function announce(tag: string, others: readonly string[], moving: Readonly<Record<string, string>> = {}) {
    const folder = temporaryFolder();
    const origin = join(folder, "origin");
    const clone = join(folder, "clone");
    const git = (cwd: string, ...args: string[]) => {
      const { status, stderr, stdout } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd,
        encoding: "utf8",
      });
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
    const checkout = join(folder, "checkout");
    git(folder, "clone", "-q", "--depth=1", "--branch", tag, pathToFileURL(origin).href, checkout);
    writeFileSync(join(folder, "gh"), `#!/bin/sh\n[ "$2" = view ] && exit 1\necho "$*" >> ${join(folder, "asked")}\n`, {
      mode: 0o755,
    });
    const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, GITHUB_REF_NAME: tag };
    const { status, stderr } = spawnSync("bash", [inRepository("release/announce.sh"), "notes.md"], {
      cwd: checkout,
      env,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const moved = git(origin, "tag")
      .split("\n")
      .filter((name) => /^v\d+(\.\d+)?$/.test(name))
      .map((name) => [name, git(origin, "log", "-1", "--format=%s", name).trim()]);
    return { asked: readFileSync(join(folder, "asked"), "utf8"), tags: Object.fromEntries(moved) as unknown };
  }

  it("makes a release", () => {
    expect(announce("v0.2.0", []).asked).toBe(
      "release create v0.2.0 --verify-tag --title v0.2.0 --notes-file notes.md\n",
    );
  });

  it.each([
    ["a first one", "v0.2.0", ["v0.1.9"], { "v0.1": "v0.1.9" }, { "v0.1": "v0.1.9", "v0.2": "v0.2.0" }],
    ["a next one before 1.0.0", "v0.1.10", ["v0.1.9", "v0.2.0"], { "v0.1": "v0.1.9" }, { "v0.1": "v0.1.10" }],
    ["a next one", "v1.3.0", ["v1.2.9", "v1.4.0-rc.1", "v2.0.0", "v10.0.0"], { v1: "v1.2.9" }, { v1: "v1.3.0" }],
    ["none back", "v1.2.10", ["v1.3.0"], { v1: "v1.3.0" }, { v1: "v1.3.0" }],
    ["none back before 1.0.0", "v0.1.9", ["v0.1.10"], { "v0.1": "v0.1.10" }, { "v0.1": "v0.1.10" }],
    ["none to a version to be tried", "v1.3.0-rc.1", ["v1.2.0"], { v1: "v1.2.0" }, { v1: "v1.2.0" }],
  ])("moves the tag of the line: %s", (_, tag, others, before, after) => {
    expect(announce(tag, others, before).tags).toEqual(after);
  });

  it("says of a version to be tried that it is one", () => {
    expect(announce("v0.2.0-rc.1", []).asked).toContain("--prerelease");
  });
});
