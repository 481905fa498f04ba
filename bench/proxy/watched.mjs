import { coreTicks, cpuSeconds } from "./cpu-use.mjs";
import { PINNED } from "./processes.mjs";

function look(contender) {
  const cores = PINNED && { contender: coreTicks(PINNED.contender), generator: coreTicks(PINNED.generator) };
  return { atMs: performance.now(), cpu: cpuSeconds(contender.pid), cores };
}

const rounded = (share) => Number(share.toFixed(3));

function busyShare(before, after) {
  const total = after.total - before.total;
  return total > 0 ? (after.busy - before.busy) / total : 0;
}

function shares(before, after) {
  if (before.cpu === undefined || after.cpu === undefined) return {};
  const contenderCpu = (after.cpu - before.cpu) / ((after.atMs - before.atMs) / 1000);
  if (!before.cores?.contender || !after.cores?.contender) return { contenderCpu: rounded(contenderCpu) };
  const contenderCore = busyShare(before.cores.contender, after.cores.contender);
  return {
    contenderCpu: rounded(contenderCpu),
    othersCpu: rounded(Math.max(0, contenderCore - contenderCpu)),
    generatorCoreCpu: rounded(busyShare(before.cores.generator, after.cores.generator)),
  };
}

/**
 * Runs `measure` and adds to its figures, as shares of a core: `contenderCpu`, what the contender's processes used (1: it
 * was the limit); `othersCpu`, what somebody else used of the contender's core; `generatorCoreCpu`, how busy the core of
 * the generator and the backend was, whoever used it. The last two only where processes are pinned, none without /proc.
 */
export async function watched(contender, measure) {
  const before = look(contender);
  const figures = await measure();
  return { ...figures, ...shares(before, look(contender)) };
}
