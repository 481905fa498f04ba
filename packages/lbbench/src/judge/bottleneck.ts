import type { StepResult } from "../model/result.js";
import type { Bottleneck, DescendantUsage, ProcessUsage, Role, Usage, WorkerShare } from "../model/usage.js";
import { plateau, sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { finishedRequests } from "../stats/request-counts.js";
import { found, type StepRule } from "./found.js";

/** Processor time is counted in ticks of about 10 ms: in 200 ms one tick more or less is already 5 % of a core. */
export const MINIMUM_WINDOW_MS = 200;

/** Of the processor time that there is for a process; the missing tenth is waiting that load cannot fill. */
const PROCESSOR_SATURATION = 0.9;

/** Busy share of all cores from which on the processes take time from one another. */
const MACHINE_SATURATION = 0.95;

/** An event loop is not measured in ticks, so little is allowed for. */
const LOOP_SATURATION = 0.95;

/** Higher than what counts as a bottleneck, because it casts doubt on the figures: answers waited for the generator. */
const GENERATOR_SATURATION = 0.95;

/** Part of the machine's time that a host may take without a word. */
const STEAL = 0.05;

/** The engine that does all that another one does, and needs less processor time for a request. */
const FASTER_ENGINES: ReadonlyMap<string, string> = new Map([["autocannon", "wire"]]);

/** Returns the engine that can send the load of a step with less processor time, if there is one. */
export function fasterEngineFor({ engine }: Pick<StepResult, "engine">): string | undefined {
  return FASTER_ENGINES.get(engine);
}

/** What a process of this machine used, or a worker and its machine. */
export type ProcessFigures = Omit<ProcessUsage, "pid"> & Partial<Pick<WorkerShare, "host" | "machineCpu">>;

/**
 * How close a process is to all the processor time that it can use, 0 to 1. The highest of:
 *
 * - its busiest thread, or the whole process where threads are not known,
 * - its time over the cores that it may use, and the same of its descendants: a Go program moves from thread to thread,
 * - of a worker, all cores of its machine where these are full.
 */
function processorLoad(process: ProcessFigures): number {
  const { cpu, busiestThread = cpu, descendants = [], machineCpu = 0 } = process;
  const full = machineCpu >= MACHINE_SATURATION ? machineCpu : 0;
  const shareOfCores = ({ cpu: used, cores = 0 }: Pick<DescendantUsage, "cpu" | "cores">): number =>
    cores === 0 ? 0 : used / cores;
  return Math.max(busiestThread, full, ...[process, ...descendants].map(shareOfCores));
}

/** How busy a process is: its processor load, or the share of time in which its event loop did not wait. */
export function busyShare(process: ProcessFigures): number {
  return Math.max(processorLoad(process), process.eventLoopUtilization ?? 0);
}

/** Whether this machine does a part of a step's work: it generates the load, or runs processes of the target that were seen. */
function isMachineInPlay(
  { balancer = [], backends = [] }: Omit<Usage, "bottleneck">,
  workers: readonly WorkerShare[] = [],
): boolean {
  return workers.length === 0 || balancer.length + backends.length > 0;
}

/**
 * Returns what limited the throughput of a step, by the first of these that holds:
 *
 * 1. the busiest role whose {@link processorLoad} is at least 90 % of what `steal` leaves (of workers 90 % of all),
 * 2. `machine`, if all cores of this one are at least 95 % busy, unless nothing but lbbench itself runs on it,
 * 3. the busiest role whose event loops are busy for at least 95 % of the time,
 * 4. `none`, or `unknown` where no backend was seen, and in windows below 200 ms.
 *
 * Processor time comes first: an event loop counts as busy while it waits for a core as well.
 */
export function attributeBottleneck(
  usage: Omit<Usage, "bottleneck">,
  workers: readonly WorkerShare[] = [],
): Bottleneck {
  if (usage.windowMs < MINIMUM_WINDOW_MS) return "unknown";
  const { generator, balancer = [], backends = [], machine, steal = 0 } = usage;
  const roles = (load: Load, ofWorker = load): Loads => [
    // Each generator drives its own connections, so the busiest one already holds some of them back.
    ["generator", Math.max(0, ...generator.map(load), ...workers.map(ofWorker))],
    ["balancer", Math.max(0, ...balancer.map(load))],
    // While some backends are idle it is their balancer's choice, not their capacity, that limits.
    ["backend", sumOf(backends, load) / Math.max(1, backends.length)],
  ];
  const ofWhatIsLeft: Load = (process) => processorLoad(process) / (1 - steal);
  const isFull = machine >= MACHINE_SATURATION && isMachineInPlay(usage, workers);
  return (
    busiestRole(roles(ofWhatIsLeft, processorLoad), PROCESSOR_SATURATION) ??
    (isFull ? "machine" : busiestRole(roles(busyShare), LOOP_SATURATION)) ??
    (backends.length === 0 ? "unknown" : "none")
  );
}

/** Returns the bottleneck of a step as a list, empty where it is unknown; in files of 0.1.0 `none` may be of a server that was not seen. */
export function knownBottleneck(usage: Omit<Usage, "generator"> | undefined): readonly Bottleneck[] {
  if (usage === undefined || usage.windowMs < MINIMUM_WINDOW_MS || usage.bottleneck === "unknown") return [];
  return usage.bottleneck === "none" && (usage.backends ?? []).length === 0 ? [] : [usage.bottleneck];
}

/** Returns what limited most of some steps, once for each of them; of as many one that names a part comes before `none`. */
export function commonestBottleneck(usages: readonly Omit<Usage, "generator">[]): readonly Bottleneck[] | undefined {
  const groups = [...groupBy(usages.flatMap(knownBottleneck), (name) => name).values()];
  return groups.toSorted((a, b) => b.length - a.length || Number(a[0] === "none") - Number(b[0] === "none"))[0];
}

type Load = (process: ProcessFigures) => number;
type Loads = readonly (readonly [Role, number])[];

function busiestRole(loads: Loads, saturation: number): Role | undefined {
  return loads.filter(([, value]) => value >= saturation).toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** What all processes of a step used; workers are among its generators, wherever they are. */
export type StepUsage = Omit<Usage, "generator"> & { readonly generator: readonly ProcessFigures[] };

/** Returns what all processes of a step used; `undefined` where that is not known. */
export function usageOf({ usage, workers = [] }: Pick<StepResult, "usage" | "workers">): StepUsage | undefined {
  return usage && { ...usage, generator: [...usage.generator, ...workers] };
}

/**
 * Returns the load generators that answers may have waited for, the busiest first: each or its machine was saturated, or it was kept from
 * running. None also when the window is too short to tell.
 */
export function saturatedGenerators(step: Pick<StepResult, "usage" | "workers">): readonly ProcessFigures[] {
  const { windowMs, generator } = usageOf(step) ?? { windowMs: 0, generator: [] };
  if (windowMs < MINIMUM_WINDOW_MS) return [];
  return generator
    .filter((one) => busyShare(one) >= GENERATOR_SATURATION)
    .toSorted((a, b) => busyShare(b) - busyShare(a));
}

/** Whether a full machine left a process of it less processor time than it needed: its event loop waited for a core. */
function isKeptFromRunning(process: ProcessFigures, { machine, steal = 0 }: Pick<Usage, "machine" | "steal">): boolean {
  const isOfWorker = process.host !== undefined;
  return !isOfWorker && machine >= MACHINE_SATURATION && processorLoad(process) < PROCESSOR_SATURATION * (1 - steal);
}

/**
 * Whether a generator may have been at its limit at some time of a ramp. Usage is known of the whole ramp alone; the most is estimated in
 * proportion to the requests that came to an end.
 */
export function mayHaveSaturatedGenerator(step: Pick<StepResult, "usage" | "workers" | "measurement">): boolean {
  const { measurement } = step;
  const usage = usageOf(step);
  if (usage === undefined || measurement === undefined || measurement.timeline.length === 0) return false;
  const { requests, elapsedMs, timeline } = measurement;
  const mean = (finishedRequests(requests) / elapsedMs) * 1000;
  const most = plateau(timeline.map(({ ok, failed }) => ok + failed));
  const busiest = Math.max(0, ...usage.generator.flatMap((one) => [busyShare(one), one.machineCpu ?? 0]));
  return mean > 0 && busiest * Math.max(1, most / mean) >= GENERATOR_SATURATION;
}

/** `GENERATOR_SATURATED`, `MACHINE_SATURATED`, `HOST_BUSY`. A generator that a full machine kept from running is not called saturated. */
export const findSaturation: StepRule = (step, _scenario, environment) => {
  const { usage } = step;
  if (usage === undefined || usage.windowMs < MINIMUM_WINDOW_MS) return [];
  const waitedFor = saturatedGenerators(step);
  const busy = waitedFor.find((one) => !isKeptFromRunning(one, usage));
  const [kept] = busy === undefined ? waitedFor : [];
  const generator =
    busy === undefined
      ? []
      : found("GENERATOR_SATURATED", "warning", { ...figuresOf(busy), fasterEngine: fasterEngineFor(step) });
  if (!isMachineInPlay(usage, step.workers)) return generator;
  const { machine, steal = 0 } = usage;
  return [
    ...generator,
    ...(machine >= MACHINE_SATURATION
      ? found("MACHINE_SATURATED", "warning", {
          machine,
          ...shareOfTarget(usage, environment?.cores),
          process: kept?.name,
          cpu: kept?.cpu,
        })
      : []),
    ...(steal >= STEAL ? found("HOST_BUSY", "warning", { steal }) : []),
  ];
};

function figuresOf({ name, host, cpu, busiestThread, eventLoopUtilization, machineCpu }: ProcessFigures) {
  const names = host === undefined ? { process: name } : { worker: name, host };
  return { ...names, cpu, busiestThread, eventLoopUtilization, machineCpu };
}

/**
 * The part {ofTarget} of all processor time spent on the machine that the target had, and its {headroom}. Absent where its processes were not
 * seen, or too short to have used any time that the system counts.
 */
function shareOfTarget(usage: Usage, cores: number | undefined) {
  const { machine, steal = 0, balancer = [], backends = [] } = usage;
  if (backends.length === 0 || cores === undefined) return {};
  const processes = [...balancer, ...backends];
  const own = sumOf(processes, ({ cpu }) => cpu);
  if (own === 0) return {};
  const spent = machine * (1 - steal) * cores;
  // As many threads as are busy like the busiest one; where threads are not known, any number.
  const threads = sumOf(processes, ({ cpu, busiestThread = 0 }) => (cpu === 0 ? 0 : cpu / busiestThread));
  return { ofTarget: Math.min(1, own / spent), headroom: Math.max(1, Math.min(spent, threads) / own) };
}
