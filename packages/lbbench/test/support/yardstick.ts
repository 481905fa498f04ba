import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fixture } from "./fixture.js";

/**
 * What the yardstick takes where the times that are promised were first kept, in ms: a machine on which all formats of the result of
 * bench/report took 2661 ms. Both are compute-bound, and elsewhere the same code took 3.4 times as long as the yardstick (medians
 * of eight in turn).
 */
const REFERENCE_MS = 780;

/**
 * How many times slower this machine is at the moment than the one of the reference, by work that is always the same; 1 where it is
 * not. What is promised in seconds is promised of that machine: on a slower one it is so many seconds more.
 */
export async function measureSlowness(): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [fixture("yardstick.mjs")]);
  return Math.max(1, Number(stdout) / REFERENCE_MS);
}
