import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { inRepository } from "../repository/repository.js";

/** The published packages, in order of dependence. */
export const PACKAGES = ["proxy", "backends", "lbbench"] as const;

/** How a program ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A package as it would be published. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  /** Absolute path. */
  readonly tarball: string;
  /** What is in it, relative to the package. */
  readonly paths: readonly string[];
}

/** Runs a program to its end, in a folder; the environment is ours, without what `npm run` tells of this repository. */
export async function runIn(cwd: string, command: string, args: readonly string[]): Promise<Outcome> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|config_local)|INIT_CWD|VITEST|NODE_ENV)/.test(name),
    ),
  );
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, "close")) as [number | null];
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

/** Runs npm; throws with all it printed when it fails. */
export async function npm(cwd: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(cwd, "npm", args);
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Packs a package of this repository into a folder, as `npm publish` would. */
export async function pack(name: (typeof PACKAGES)[number], into: string): Promise<Packed> {
  const stdout = await npm(inRepository(`packages/${name}`), ["pack", "--json", "--pack-destination", into]);
  // A list in older versions of npm, by name in newer ones.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, PackReport>);
  if (packed === undefined) throw new Error(`npm pack: expected one package, got ${stdout}`);
  const paths = packed.files.map(({ path }) => path);
  return { name: packed.name, version: packed.version, tarball: join(into, packed.filename), paths };
}

interface PackReport {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Makes an empty project and installs tarballs into it, by npm and from its registry alone. */
export async function installInto(
  folder: string,
  tarballs: readonly string[],
  flags: readonly string[] = [],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "name": "user", "version": "1.0.0", "private": true }\n');
  await npm(folder, ["install", "--no-audit", "--no-fund", "--prefer-offline", ...flags, ...tarballs]);
}
