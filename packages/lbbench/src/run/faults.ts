/** Faults of a step: refused where a target cannot do them, done in time, and undone at the end. */
import { ConfigError, suggest } from "../config/config-error.js";
import type { DoneFault, Fault, FaultDeed, FaultKind } from "../model/fault.js";
import type { FaultyPart } from "../plugin.js";
import { SLICE_MS } from "../stats/faults.js";
import { messageOf } from "./targets.js";
import { defined } from "../stats/defined.js";

/** A fault, and the parts of a target that it is done to. */
export interface PlannedFault {
  readonly fault: Fault;
  /** Several of a roll, in its order. */
  readonly parts: readonly FaultyPart[];
}

/**
 * Finds the parts of a target to which the faults of a scenario are done. A roll is of all backends that can be stopped and started. Throws a
 * {@link ConfigError} where the target lacks such a part, or the part cannot do it; it says what the target has, and what to do.
 */
export function planFaults(
  faults: readonly Fault[] = [],
  target: string,
  parts: readonly FaultyPart[] = [],
): readonly PlannedFault[] {
  const refuse = (what: string, meant = ""): never => {
    const has = parts.map((part) => `${part.name} (${part.can.join(", ")})`).join(", ");
    const next = meant || ` Name ${parts.length === 1 ? "it" : "one of them"} (--fault), or leave the fault out.`;
    throw new ConfigError(
      `The target "${target}" ${what}. ${has === "" ? "It has no parts to which faults can be done. Leave the target or its faults out." : `It has ${has}.${next}`}`,
    );
  };
  /** A process is often named without the server that has it. */
  const guess = (asked: string): string => {
    const names = parts.map((part) => part.name);
    const longer = names.find((one) => one.endsWith(` ${asked}`));
    return longer === undefined ? suggest(asked, names) : ` Did you mean "${longer}"?`;
  };
  return faults.map((fault) => {
    if (fault.kind === "roll") {
      const able = parts.filter(({ role, can }) => role === "backend" && can.includes("stop") && can.includes("start"));
      return { fault, parts: able.length === 0 ? refuse("has no backend that can stop and start") : able };
    }
    const part =
      parts.find((one) => one.name === fault.part) ?? refuse(`has no part "${fault.part}"`, guess(fault.part));
    return {
      fault,
      parts: [part.can.includes(fault.kind) ? part : refuse(`cannot do "${fault.kind}" to "${part.name}"`)],
    };
  });
}

/** A clock of this process, by which something is timed that is told from another moment. */
export interface Clock {
  /** Since it was started, in ms. */
  readonly passedMs: () => number;
  /** The same moment in ms from an earlier one on, which is given as ISO 8601; where the wall clock was set between, from {@link startMs}. */
  readonly since: (startedAt: string, atMs: number) => number;
  /** When the first slice began, as far as is known: a moment after the clock was started. */
  readonly startMs: () => number;
  /** Told by an engine how long it has been at it, as of now. */
  readonly adjust: (elapsedMs: number) => void;
}

/** Starts a clock, now. */
export function startClock(): Clock {
  const [zeroMs, zeroAtMs] = [performance.now(), Date.now()];
  const passedMs = (): number => performance.now() - zeroMs;
  let startMs = 0;
  return {
    passedMs,
    since: (startedAt, atMs) => {
      const betweenMs = Date.parse(startedAt) - zeroAtMs;
      // No moment of this clock where the wall clock was set meanwhile.
      return atMs - (betweenMs >= 0 && betweenMs <= passedMs() ? betweenMs : startMs);
    },
    startMs: () => startMs,
    adjust: (elapsedMs) => void (startMs = Math.max(0, passedMs() - elapsedMs)),
  };
}

/** Faults that are being done. */
export interface RunningFaults {
  /**
   * Begins no more of them, waits for those under way, and resumes what is paused. Takes 20 s at most; never rejects.
   *
   * @param keepsRest whether those that were not begun are told as well, as having failed.
   */
  readonly end: (keepsRest: boolean) => Promise<void>;
  /** What was done, in the order of the plan, for a measurement that began then (ISO 8601). */
  readonly told: (startedAt: string) => readonly DoneFault[];
}

/** How long a fault may take until it is given up. */
const LIMIT_MS = 10_000;
const TOO_EARLY = "the measurement ended before";

/**
 * Does faults in time, by a clock that was just started: each when its time has come and what was to be done before to the same part is
 * over. One that fails, or takes longer than 10 s, is recorded with its error.
 *
 * @param onDone hears of each that is over, with times by the clock.
 * @param look is called before anything is done to a part, again and again until that has taken effect, and then.
 */
export function startFaults(
  plan: readonly PlannedFault[],
  { passedMs, since }: Clock,
  { onDone, look = () => {} }: { readonly onDone: (done: DoneFault) => void; readonly look?: () => void },
): RunningFaults {
  const done = new Map<PlannedFault, DoneFault>();
  /** Settles when nothing is being done to a part, or waits to be. */
  const busy = new Map<FaultyPart, Promise<void>>();
  const paused = new Set<FaultyPart>();
  /** Parts that do not run. */
  const ended = new Set<FaultyPart>();
  let isOver = false;

  const apply = async (part: FaultyPart, deed: FaultDeed): Promise<void> => {
    if (deed.kind === "pause") paused.add(part);
    look();
    const looking = setInterval(look, SLICE_MS);
    await applyInTime(part, deed).finally(() => {
      clearInterval(looking);
      look();
    });
    if (ENDS_PAUSE.has(deed.kind)) paused.delete(part);
    if (deed.kind === "kill" || deed.kind === "stop") ended.add(part);
    if (deed.kind === "start") ended.delete(part);
  };
  const roll = async (parts: readonly FaultyPart[]): Promise<void> => {
    for (const part of parts) {
      for (const kind of ["drain", "stop", "start", "restore"] as const) {
        if (isOver) throw new Error(TOO_EARLY);
        // What is dead already is started with the others.
        if (!part.can.includes(kind) || (kind === "stop" && ended.has(part))) continue;
        await apply(part, { kind }).catch(async (error: unknown) => {
          // Drained it would get nothing when it is started later.
          if (part.can.includes("restore")) await applyInTime(part, { kind: "restore" }).catch(() => {});
          throw new Error(`${kind} ${part.name}: ${messageOf(error)}`, { cause: error });
        });
      }
    }
  };
  const execute = async (planned: PlannedFault): Promise<void> => {
    const { fault, parts } = planned;
    const { atMs: _, part: _name, ...deed } = fault;
    // What is waited for was under way when the end came.
    if (isOver) return;
    const beganMs = passedMs();
    const outcome = await (deed.kind === "roll" ? roll(parts) : apply(parts[0] as FaultyPart, deed)).then(
      // Of a roll the first effects come with its first deed.
      () => ({ effectMs: deed.kind === "roll" ? beganMs : passedMs() }),
      (error: unknown) => ({ effectMs: null, error: messageOf(error) }),
    );
    const told = { ...fault, beganMs, ...outcome };
    done.set(planned, told);
    onDone(told);
  };
  const enqueue = (planned: PlannedFault): void => {
    const before = planned.parts.flatMap((part) => busy.get(part) ?? []);
    const turn = Promise.all(before).then(async () => execute(planned));
    for (const part of planned.parts) busy.set(part, turn);
  };
  const timers = plan.map((planned) => setTimeout(() => enqueue(planned), planned.fault.atMs));

  return {
    end: async (keepsRest) => {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(busy.values());
      // A server that is stopped resumes what is paused; here it is seen to be able to answer what is asked before.
      await Promise.allSettled([...paused].map(async (part) => applyInTime(part, { kind: "resume" })));
      for (const planned of keepsRest ? plan : []) {
        if (!done.has(planned)) done.set(planned, { ...planned.fault, effectMs: null, error: TOO_EARLY });
      }
    },
    told: (startedAt) => {
      const told = (atMs: number): number => Math.round(since(startedAt, atMs));
      return plan
        .flatMap((planned) => done.get(planned) ?? [])
        .map(({ beganMs, effectMs, ...fault }) => ({
          ...fault,
          ...defined({ beganMs: beganMs === undefined ? undefined : told(beganMs) }),
          effectMs: effectMs === null ? null : told(effectMs),
        }));
    },
  };
}

/** What leaves no process of a part paused. */
const ENDS_PAUSE = new Set<FaultKind>(["resume", "kill", "stop", "start"]);

/** Rejects where a part cannot do it, or not in time. */
async function applyInTime(part: FaultyPart, deed: FaultDeed): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  try {
    await Promise.race([part.apply(deed), late]);
  } finally {
    clearTimeout(timer);
  }
}
