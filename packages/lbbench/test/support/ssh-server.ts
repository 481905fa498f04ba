import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Machine } from "./network.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

/** A host of the configuration: where it is, and what of its server or of the client is not as it should be. */
export interface SshHost {
  readonly machine: Machine;
  /** Lines of its sshd_config. */
  readonly server?: string;
  /** Lines of the client's configuration for it. */
  readonly client?: string;
  /** 22 without it. */
  readonly port?: number;
}

/**
 * Starts an sshd with keys of its own for each host; all are gone when the test has finished. Resolves with a `PATH` in which the program
 * `ssh` is the system's own with a configuration of the test.
 */
export async function startSshServers(hosts: Readonly<Record<string, SshHost>>): Promise<string> {
  const folder = temporaryFolder();
  const file = (name: string): string => join(folder, name);
  for (const key of ["host", "mine", "other"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file(key)]);
  const hostKey = readFileSync(file("host.pub"), "utf8").split(" ").slice(0, 2).join(" ");
  mkdirSync("/run/sshd", { recursive: true });
  const servers = Object.entries(hosts).map(([name, { machine, server = "", port = 22 }]) => {
    // The first line of a name counts.
    const lines = [
      server,
      `Port ${port}`,
      `HostKey ${file("host")}`,
      `AuthorizedKeysFile ${file("mine.pub")}`,
      "PidFile none",
      "PermitRootLogin prohibit-password",
      "StrictModes no",
      "UsePAM yes",
    ];
    writeFileSync(file(`${name}.sshd`), lines.join("\n"));
    return machine.start(["/usr/sbin/sshd", "-D", "-e", "-f", file(`${name}.sshd`)]);
  });
  for (const { stderr } of servers) await expect.poll(stderr).toMatch(/Server listening on 0\.0\.0\.0/);
  const known = Object.values(hosts).map(({ machine, port = 22 }) => `[${machine.address}]:${port} ${hostKey}`);
  writeFileSync(file("known"), `${known.join("\n").replaceAll(/\[(.*)\]:22 /g, "$1 ")}\n`);
  const config = Object.entries(hosts).map(([name, { machine, client = "", port = 22 }]) =>
    [`Host ${name}`, `HostName ${machine.address}`, `Port ${port}`, client].join("\n  "),
  );
  const common = [
    "Host *",
    `IdentityFile ${file("mine")}`,
    "IdentitiesOnly yes",
    `UserKnownHostsFile ${file("known")}`,
  ];
  writeFileSync(file("config"), [...config, common.join("\n  "), ""].join("\n"));
  mkdirSync(file("bin"));
  writeFileSync(file("bin/ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F ${file("config")} "$@"\n`, { mode: 0o755 });
  return `${file("bin")}:${process.env["PATH"]}`;
}
