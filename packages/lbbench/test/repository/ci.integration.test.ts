import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { inRepository } from "./repository.js";

const NEEDED = ["ab", "wrk", "hey", "nginx", "haproxy", "openssl", "python3", "go", "ip", "chromium", "act"];
const OF_SHELL = ["bash", "sh", "dirname", "mktemp", "rm", "cp", "env"];
const REPORT = JSON.stringify({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 0 });

interface Machine {
  readonly user: "root" | "other";
  readonly missing: readonly string[];
  readonly sudo?: "without password" | "with password";
}

/**
 * Runs .ci/run where no program is but those given: npm and apt-get write down what they are asked, and apt-get brings what is missing.
 */
function runCi({ user, missing, sudo }: Machine) {
  const folder = temporaryFolder();
  const programs = join(folder, "programs");
  const asked = join(folder, "asked");
  mkdirSync(programs);
  mkdirSync(join(folder, ".ci"));
  cpSync(inRepository(".ci/run"), join(folder, ".ci/run"));
  const program = (name: string, ...lines: readonly string[]) =>
    writeFileSync(join(programs, name), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
  for (const name of OF_SHELL) symlinkSync(join("/usr/bin", name), join(programs, name));
  symlinkSync(process.execPath, join(programs, "node"));
  for (const name of NEEDED) if (!missing.includes(name)) program(name);
  program("id", `echo ${user === "root" ? 0 : 1000}`);
  const bring = missing.map((name) => `[ "$1" = install ] && cp ${join(programs, "npm")} ${join(programs, name)}`);
  program("apt-get", `echo "apt-get $*" >> ${asked}`, ...bring, "exit 0");
  if (sudo !== undefined) {
    const refuse = sudo === "with password" ? ["exit 1"] : [];
    program("sudo", `echo "sudo $1" >> ${asked}`, ...refuse, "shift", 'exec env "$@"');
  }
  program(
    "npm",
    `echo "npm $*" >> ${asked}`,
    `for last; do case "$last" in --outputFile.json=*) echo '${REPORT}' > "\${last#*=}" ;; esac; done`,
  );
  const { status, stdout, stderr } = spawnSync(join(programs, "bash"), [join(folder, ".ci/run")], {
    env: { PATH: programs },
    encoding: "utf8",
  });
  const lines = existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [];
  return { status, stdout, stderr, asked: lines.map((line) => line.replace(/--outputFile.*/, "").trim()) };
}

const TESTS = ["npm ci", "npm run check", "npm test -- --reporter=default --reporter=json"];
/** What the Python of the machine has cannot be set here. */
const PYTHON = spawnSync("/usr/bin/python3", ["-c", "import prometheus_client"]).status === 0;

describe.skipIf(!PYTHON)("what CI runs", () => {
  it.each(["root", "other"] as const)("installs nothing where everything is there: %s", (user) => {
    const { status, stdout, asked } = runCi({ user, missing: [], sudo: "without password" });
    expect(asked).toEqual(TESTS);
    expect(stdout).toBe("3 passed, 0 failed\n");
    expect(status).toBe(0);
  });

  it("installs what is missing as root", () => {
    const { status, asked, stderr } = runCi({ user: "root", missing: ["hey", "ab"], sudo: "without password" });
    expect(asked, stderr).toEqual(["apt-get update -qq", "apt-get install -y -qq apache2-utils hey", ...TESTS]);
    expect(status).toBe(0);
  });

  it("installs what is missing by sudo for another user", () => {
    const { status, asked, stderr } = runCi({ user: "other", missing: ["hey", "ab"], sudo: "without password" });
    expect(asked, stderr).toEqual([
      "sudo -n",
      "apt-get update -qq",
      "sudo -n",
      "apt-get install -y -qq apache2-utils hey",
      ...TESTS,
    ]);
    expect(status).toBe(0);
  });

  it.each([
    ["no sudo", undefined],
    ["a sudo that asks for a password", "with password"],
  ] as const)("says what is missing and runs no test for another user with %s", (_, sudo) => {
    const { status, stderr, asked } = runCi({ user: "other", missing: ["hey", "ab"], ...(sudo && { sudo }) });
    expect(stderr).toContain("missing: apache2-utils hey.");
    expect(status).toBe(1);
    expect(asked.filter((line) => line.startsWith("npm") || line.startsWith("apt-get"))).toEqual([]);
  });
});
