import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { leadGroup, signalProcess } from "./proc.js";

/** Starts a process that stays in its group and ignores SIGTERM, says its pid, and ends. */
const LEAVES_ONE_BEHIND = `
  const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 60_000); console.log(process.pid)';
  const child = require("node:child_process").spawn(process.execPath, ["-e", stubborn]);
  child.stdout.once("data", (pid) => process.stdout.write(pid, () => process.exit()));
`;

it("ends what a process leaves behind with it, and signals nobody afterwards", async () => {
  const leader = spawn(process.execPath, ["-e", LEAVES_ONE_BEHIND], { detached: true });
  leader.stderr.resume();
  const group = leadGroup(leader);
  const printed = text(leader.stdout);
  await once(leader, "exit");
  await group.gone;
  const pid = Number(await printed);
  await expect.poll(() => pid > 0 && signalProcess(pid, 0)).toBe(false);
  const kill = vi.spyOn(process, "kill");
  try {
    group.signal("SIGKILL");
    expect(kill).not.toHaveBeenCalled();
  } finally {
    kill.mockRestore();
  }
});

it("has nobody to signal where the process could not be started", async () => {
  const group = leadGroup(spawn("/no/such/program", { detached: true }).on("error", () => {}));
  group.signal("SIGTERM");
  await expect(group.gone).resolves.toBeUndefined();
});
