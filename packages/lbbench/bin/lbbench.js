#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";

/** Node.js opens many modules at once, and ends with a stack trace where it cannot. All commands have enough with half of these. */
const LEAST_DESCRIPTORS = 256;

const limit = readDescriptorLimit();
if (limit < LEAST_DESCRIPTORS) {
  // A stream of Node.js may need a descriptor itself.
  writeSync(
    2,
    `error: expected a limit of at least ${LEAST_DESCRIPTORS} file descriptors for a process, got ${limit} (ulimit -n). Raise it in this shell, and run lbbench again: ulimit -n 65536\n`,
  );
  process.exitCode = 2;
} else {
  const { runProcess } = await import("../dist/cli/run-process.js");
  await runProcess();
}

/** As it is since Node.js has raised it; `Infinity` where the system does not tell. */
function readDescriptorLimit() {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return Number(soft ?? Infinity);
  } catch {
    return Infinity;
  }
}
