import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeTarget } from "../proxy/render.mjs";
import { makeFolder, runNode } from "../rounds.mjs";

const here = (name) => fileURLToPath(new URL(`../proxy/${name}`, import.meta.url));
const QUICK = ["--bodies", "small", "--rounds", 1, "--seconds", 1, "--warmup", 1, "--skip-paced"];

/** What bench/proxy measures, which is alternating rounds of its own, and keeps in its own result unless it is quick. */
async function runProxyBench(quick) {
  if (!quick) {
    await runNode([here("run.mjs")]);
    return JSON.parse(await readFile(here("result.json"), "utf8"));
  }
  const folder = await makeFolder();
  try {
    const out = join(folder.path, "result.json");
    await runNode([here("run.mjs"), ...QUICK, "--out", out]);
    return JSON.parse(await readFile(out, "utf8"));
  } finally {
    await folder.remove();
  }
}

/** How fast the balancer is beside others. */
export const bench = {
  name: "proxy",
  needs: ["wrk", "nginx", "haproxy"],
  rounds: 1,
  async open({ quick }) {
    return {
      async round() {
        const { targets, contenders, settings } = await runProxyBench(quick);
        return targets.map((target) => {
          const { atLeast, atMost, ratio: figure } = target;
          return { title: describeTarget(target, contenders), atLeast, atMost, figure, rounds: settings.rounds };
        });
      },
      close() {},
    };
  },
  rows: ([targets = [{ title: "the balancer beside others", atLeast: 1, rounds: 0 }]]) => targets,
};
