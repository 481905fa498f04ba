import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { processTree } from "./process-tree.js";

const WITH_CHILD = `
  const child = require("node:child_process").spawn(process.execPath, ["-e", "process.stdin.resume()"]);
  console.log(child.pid);
  process.stdin.resume().on("end", () => child.stdin.end());
`;

it.runIf(process.platform === "linux")("lists a process and its descendants, itself first", async () => {
  const program = spawn(process.execPath, ["-e", WITH_CHILD], { argv0: "name with ) and (" });
  const [line] = (await once(program.stdout, "data")) as [Buffer];
  expect(await processTree(program.pid ?? -1)).toEqual([program.pid, Number(line)]);
  program.stdin.end();
  await once(program, "exit");
  expect(await processTree(program.pid ?? -1)).toEqual([program.pid]);
});
