import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import type { Result } from "../model/result.js";
import { renderPng } from "./png.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aGrid, aMatrix } from "./test-support/result-shapes.js";
import { aSweep, withFailures } from "./test-support/sample-results.js";

const DRAW = fileURLToPath(new URL("./test-support/draw-charts.mjs", import.meta.url));

interface Drawn {
  readonly drawsTextAlone: boolean;
  readonly digests: readonly (readonly [name: string, digest: string])[];
}

/** What another process draws of a result, started by a program or by Node alone. */
function draw(result: Result, program: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Drawn> {
  const [file, ...args] = [...program, process.execPath, DRAW];
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { env: { ...process.env, ...env } }, (error, stdout) =>
      error === null ? resolve(JSON.parse(stdout) as Drawn) : reject(error),
    );
    child.stdin?.end(JSON.stringify(result));
  });
}

async function digestsHere(result: Result): Promise<Drawn["digests"]> {
  const files = await renderPng(result);
  return files.map(({ name, content }) => [name, createHash("sha256").update(content).digest("hex")]);
}

const SWEEP = aSweep({
  connections: [1, 500],
  trials: 5,
  change: (step) => ((step.level.connections ?? 0) > 100 ? withFailures(step, 0.1) : step),
});

it.each([
  ["a sweep with failures and trials", SWEEP],
  ["a grid", aGrid()],
  ["a matrix", aMatrix()],
  ["a ramp", aRampResult()],
])("charts of %s that another process draws have the same bytes", async (_, result) => {
  const { digests } = await draw(result);
  expect(digests.length).toBeGreaterThan(1);
  expect(digests).toEqual(await digestsHere(result));
});

/** Where namespaces are allowed, fonts of the system can be put out of sight. */
const CAN_HIDE_FONTS =
  process.platform === "linux" &&
  spawnSync("unshare", ["--mount", "--map-root-user", "mount", "--version"]).status === 0;

it.runIf(CAN_HIDE_FONTS)(
  "charts have all their words on a machine without fonts, where nothing else is written",
  async () => {
    const empty = join(temporaryFolder(), "empty");
    mkdirSync(empty);
    const hide =
      'for fonts in /usr/share/fonts /usr/local/share/fonts; do [ ! -d "$fonts" ] || mount --bind "$0" "$fonts"; done; exec "$@"';
    const hidden = ["unshare", "--mount", "--map-root-user", "sh", "-e", "-c", hide, empty];
    const { drawsTextAlone, digests } = await draw(SWEEP, hidden, { DISABLE_SYSTEM_FONTS_LOAD: "1" });
    expect(drawsTextAlone).toBe(false);
    // Those with fonts have all words, as the tests of single words say.
    expect(digests).toEqual(await digestsHere(SWEEP));
  },
);
