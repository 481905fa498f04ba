import { describe, expect, it, onTestFinished, vi } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultKind, RunningServer } from "../plugin.js";
import { processTree, readProcStat } from "../system/proc.js";
import { isGone } from "../system/signals.js";
import { observeBackend, type ObservedBackend } from "./test-support/observed-backend.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";
import { requestOnce } from "./test-support/request-once.js";
import { startBuiltIn } from "./test-support/start-built-in.js";

const PATIENCE = { timeout: 60_000, interval: 20 };

const temporary = useOwnTemporaryFolder();

const apply = (running: RunningServer, name: string, kind: FaultKind): Promise<void> =>
  running.parts?.find((one) => one.name === name)?.apply({ kind }) ?? Promise.reject(new Error(`no part ${name}`));

const treeOf = ({ processes }: RunningServer): readonly number[] => processTree(processes[0]?.pid ?? -1);

const WHOLE = "kill start stop pause resume";
const BACKEND = "drain restore";

describe.each([{ program: "nginx" }, { program: "haproxy" }])("$program", ({ program }) => {
  describe.runIf(needs(program))("in front of backends", () => {
    async function observe(options: object = {}) {
      const backends: readonly ObservedBackend[] = await Promise.all([observeBackend(), observeBackend()]);
      for (const { close } of backends) onTestFinished(close);
      const running = await startBuiltIn(program, { backends: backends.map(({ url }) => url), ...options });
      const shares = async (count: number): Promise<readonly number[]> => {
        const before = backends.map(({ received }) => received.length);
        for (let sent = 0; sent < count; sent += 1) expect((await requestOnce(running.url)).status).toBe(200);
        return backends.map(({ received }, index) => received.length - (before[index] ?? 0));
      };
      return { backends, running, shares };
    }

    it("has parts to drain, and itself", async () => {
      const { running } = await observe();
      expect(running.parts?.map(({ name, role, can }) => [name, role, can.join(" ")])).toEqual([
        ["balancer", "balancer", WHOLE],
        ["backend-1", "backend", BACKEND],
        ["backend-2", "backend", BACKEND],
      ]);
    });

    it.each([1, 2])("gives what is drained nothing until it is restored, with %d workers", async (workers) => {
      const { running, shares } = await observe({ workers });
      expect(await shares(4)).toEqual([2, 2]);
      await apply(running, "backend-1", "drain");
      expect(await shares(6)).toEqual([0, 6]);
      await apply(running, "backend-1", "restore");
      await apply(running, "backend-2", "drain");
      expect(await shares(6)).toEqual([6, 0]);
    });

    it("counts on over another life", async () => {
      const running = await startBuiltIn(program, { backends: 2 });
      const counted = async () => Object.values((await running.backends?.()) ?? {}).map(({ requests }) => requests);
      const send = async (count: number): Promise<void> => {
        for (let sent = 0; sent < count; sent += 1) expect((await requestOnce(running.url)).status).toBe(200);
      };
      await send(4);
      expect(await counted()).toEqual([2, 2]);
      for (const kind of ["kill", "stop"] as const) {
        await apply(running, "balancer", kind);
        await expect(requestOnce(running.url)).rejects.toThrow("ECONNREFUSED");
        await apply(running, "balancer", "start");
        await send(2);
      }
      expect(await counted()).toEqual([4, 4]);
    });

    it.each(["pause", "kill"] as const)(
      "after %s of all its processes leaves none when it is stopped",
      async (kind) => {
        const { running } = await observe({ workers: 2 });
        // A port is there before those that serve are.
        await vi.waitFor(() => expect(treeOf(running).length).toBeGreaterThan(program === "nginx" ? 2 : 1), PATIENCE);
        const pids = treeOf(running);
        await apply(running, "balancer", "pause");
        expect(pids.filter((pid) => readProcStat(pid)?.isHalted === true)).toEqual(pids);
        const left = (): readonly number[] => pids.filter((pid) => !isGone(pid));
        if (kind === "kill") await apply(running, "balancer", kind);
        expect(left()).toEqual(kind === "kill" ? [] : pids);
        await running.stop();
        expect(left()).toEqual([]);
        expect(temporary.content().filter((name) => name.startsWith("lbbench-"))).toEqual([]);
      },
    );

    it("finishes what is under way when it is stopped", async () => {
      const { running, backends } = await observe();
      const pending = requestOnce(new URL("/hold", running.url));
      const held = (): ObservedBackend | undefined => backends.find((one) => one.held() === 1);
      await vi.waitFor(() => expect(held()).toBeDefined(), PATIENCE);
      const stopping = apply(running, "balancer", "stop");
      await vi.waitFor(() => expect(requestOnce(running.url)).rejects.toThrow("ECONNREFUSED"), PATIENCE);
      held()?.release();
      expect((await pending).body).toBe("released");
      await stopping;
    });

    it("by a template of the user's without what it takes does not drain", async () => {
      const text = readFileSync(new URL(`./test-support/${program}.template`, import.meta.url), "utf8");
      const folder = temporaryFolder({ mine: text });
      const { running } = await observe({ template: join(folder, "mine"), workers: 2 });
      expect(running.parts?.map(({ name, can }) => [name, can.join(" ")])).toEqual([["balancer", WHOLE]]);
      expect((await requestOnce(running.url)).headers["x-mine"]).toBe("2");
    });
  });
});
