import type { Child, ChildPool } from "../../src/model/child.js";
import { createChildPool } from "../../src/system/fork.js";
import { prepareClients } from "../../src/engines/clients.js";
import { createGenerator, type Generator, type GeneratorLoad } from "../../src/engines/generator.js";

/**
 * A pool for tests: the generator of a load that is not split runs in this process, behind the same calls; several are processes
 * of their own, as always. What is said and answered is copied as a channel would copy it.
 */
export function inProcessChildren(): ChildPool {
  const forked = createChildPool("generator");
  let here: Child<Generator> | undefined;
  return {
    acquire: <Remote extends object>(entry: string, count: number) => {
      if (count > 1) return forked.acquire<Remote>(entry, count);
      here ??= runHere(createGenerator(prepareClients));
      return [here as unknown as Child<Remote>];
    },
    close: forked.close,
  };
}

function runHere({ prepare, fill, settle, run, progress, cut }: Generator): Child<Generator> {
  const never = new Promise<never>(() => {});
  const call = {
    prepare: (load: GeneratorLoad) => prepare(structuredClone(load)),
    fill: async (limitMs: number) => structuredClone(await fill(limitMs)),
    settle: async (limitMs: number) => structuredClone(await settle(limitMs)),
    run: async (startNs: bigint, durationMs?: number) => structuredClone(await run(startNs, durationMs)),
    progress: async (second: number) => structuredClone(progress(second)),
    cut: async () => cut(),
  };
  return {
    place: "local",
    pid: process.pid,
    name: "here",
    call: call as unknown as Child<Generator>["call"],
    exited: never,
    died: never,
    stop: async () => {},
  };
}
