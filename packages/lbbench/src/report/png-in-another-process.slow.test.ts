import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Result } from "../model/result.js";
import { pngReporter } from "./png.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep, withFailures } from "./test-support/sample-results.js";

const DRAW = fileURLToPath(new URL("./test-support/draw-charts.mjs", import.meta.url));

interface Drawn {
  readonly families: readonly string[];
  readonly drawsTextAlone: boolean;
  readonly digests: readonly (readonly [name: string, digest: string])[];
}

function draw(
  result: Result,
  program: readonly string[] = [process.execPath],
  env: NodeJS.ProcessEnv = {},
): Promise<Drawn> {
  const [file = "", ...args] = program;
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      [...args, DRAW],
      { env: { ...process.env, ...env }, timeout: 60_000 },
      (error, stdout) => (error === null ? resolve(JSON.parse(stdout) as Drawn) : reject(error)),
    );
    child.stdin?.end(JSON.stringify(result));
  });
}

const remembered = new Map<Result, Promise<Drawn["digests"]>>();

function digestsHere(result: Result): Promise<Drawn["digests"]> {
  const digests = remembered.get(result) ?? digest(result);
  remembered.set(result, digests);
  return digests;
}

async function digest(result: Result): Promise<Drawn["digests"]> {
  const files = await pngReporter.render(result, { charts: "png" });
  return files.map(({ name, content }) => [name, createHash("sha256").update(content).digest("hex")]);
}

const GRID = ["simple", ...[8, 16].flatMap((pool) => ["a", "b"].map((policy) => `pool pool=${pool} policy=${policy}`))];

function aMatrix(): Result {
  const few = aSweep({ connections: [1, 50] });
  const withMore = <T extends { readonly level: object }>(one: T): T => ({
    ...one,
    level: { ...one.level, requests: 5000 },
  });
  const levels = [...few.scenario.levels, ...few.scenario.levels.map((level) => ({ ...level, requests: 5000 }))];
  return { ...few, scenario: { ...few.scenario, levels }, steps: [...few.steps, ...few.steps.map(withMore)] };
}

const RESULTS: readonly (readonly [string, Result])[] = [
  [
    "a sweep with failures and trials",
    aSweep({
      connections: [1, 500],
      trials: 5,
      change: (step) => ((step.level.connections ?? 0) > 100 ? withFailures(step, 0.1) : step),
    }),
  ],
  ["a grid", aSweep({ targets: GRID })],
  ["a matrix", aMatrix()],
  ["a ramp", aRampResult()],
];

describe("charts that another process draws", () => {
  test.each(RESULTS)("of %s have the same bytes", async (_, result) => {
    const here = await digestsHere(result);
    expect(here.length).toBeGreaterThan(1);
    expect((await draw(result)).digests).toEqual(here);
  });
});

/** Where namespaces are allowed, fonts of the system can be put out of sight; elsewhere only what reads the environment is kept from them. */
const CAN_HIDE_FONTS =
  process.platform === "linux" &&
  spawnSync("unshare", ["--mount", "--map-root-user", "mount", "--version"]).status === 0;

describe("charts on a machine without fonts", () => {
  const [[, result] = ["", aSweep()]] = RESULTS;
  let folder = "";
  let env: NodeJS.ProcessEnv = {};

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "lbbench-fonts-"));
    const config = join(folder, "fonts.conf");
    writeFileSync(config, '<?xml version="1.0"?><fontconfig></fontconfig>\n');
    mkdirSync(join(folder, "empty"));
    env = { FONTCONFIG_FILE: config, FONTCONFIG_PATH: folder, HOME: folder, DISABLE_SYSTEM_FONTS_LOAD: "1" };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("have the same bytes", async () => {
    const { families, digests } = await draw(result, [process.execPath], env);
    expect(families).toEqual([]);
    expect(digests).toEqual(await digestsHere(result));
  });

  test.skipIf(!CAN_HIDE_FONTS)("have all their words, where nothing else is written", async () => {
    const hide =
      'for fonts in /usr/share/fonts /usr/local/share/fonts; do [ ! -d "$fonts" ] || mount --bind "$0" "$fonts"; done; exec "$@"';
    const hidden = [
      "unshare",
      "--mount",
      "--map-root-user",
      "sh",
      "-e",
      "-c",
      hide,
      join(folder, "empty"),
      process.execPath,
    ];
    const { drawsTextAlone, digests } = await draw(result, hidden, env);
    expect(drawsTextAlone).toBe(false);
    // Those with fonts have all words, as the tests of single words say.
    expect(digests).toEqual(await digestsHere(result));
    const renamed = { ...result, scenario: { ...result.scenario, name: "elpmas" } };
    const other = await draw(renamed, hidden, env);
    for (const [index, [name, digest]] of digests.entries())
      expect(other.digests[index], name).not.toEqual([name, digest]);
  });
});
