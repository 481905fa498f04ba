/** Faults of a step: refused where a target cannot do them, done in time, and undone at the end. */
import { ConfigError, suggest } from "../config/config-error.js";
import type { DoneFault, Fault, FaultDeed, FaultKind } from "../model/fault.js";
import type { FaultyPart } from "../plugin.js";
import { SLICE_MS } from "../stats/faults.js";
import { messageOf } from "../system/program.js";
import { inTime } from "../system/settle.js";
import { defined } from "../stats/defined.js";

/** A fault, and the parts of a target that it is done to. */
export interface PlannedFault {
  readonly fault: Fault;
  /** One, or those of a roll in its order. */
  readonly parts: readonly FaultyPart[];
}

/**
 * Finds the parts of a target to which the faults of a scenario are done. A roll takes all backends that can be stopped and started. Throws a
 * {@link ConfigError} where the target has no such part, or the fault cannot be done to it. The error says which parts there are.
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
  /** Users often name a process without its server. */
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

export type Clock = ReturnType<typeof startClock>;

/** Starts a clock of this process, now. It times faults, which are reported from the start of the measurement on. */
export function startClock() {
  const [zeroMs, zeroAtMs] = [performance.now(), Date.now()];
  const passedMs = (): number => performance.now() - zeroMs;
  let startMs = 0;
  return {
    /** Since it was started, in ms. */
    passedMs,
    /** Converts a time of this clock to ms since a moment (ISO 8601). If the wall clock was set in between, to ms since `startMs`. */
    since: (startedAt: string, atMs: number): number => {
      const betweenMs = Date.parse(startedAt) - zeroAtMs;
      // A moment outside of this clock: the wall clock was set.
      return atMs - (betweenMs >= 0 && betweenMs <= passedMs() ? betweenMs : startMs);
    },
    /** When the measurement began on this clock, in ms: 0 until an engine has told. */
    startMs: () => startMs,
    /** An engine tells for how long it has been measuring. */
    adjust: (elapsedMs: number): void => void (startMs = Math.max(0, passedMs() - elapsedMs)),
  };
}

/** How long a fault may take until it is given up. */
const LIMIT_MS = 10_000;
const TOO_EARLY = "the measurement ended before";

/**
 * Does faults at their times on a clock. A fault waits until the faults before it at the same part are over. A fault that fails, or takes
 * longer than 10 s, is recorded with its error.
 *
 * @param onDone is called after each fault, with times of the clock.
 * @param look is called before a fault, repeatedly until it has taken effect, and once after it.
 */
export function startFaults(
  plan: readonly PlannedFault[],
  { passedMs, since }: Clock,
  { onDone, look = () => {} }: { readonly onDone: (done: DoneFault) => void; readonly look?: () => void },
) {
  const done = new Map<PlannedFault, DoneFault>();
  /** By part, settles when no fault of it is under way or waits. */
  const busy = new Map<FaultyPart, Promise<void>>();
  const paused = new Set<FaultyPart>();
  /** Parts that a fault has ended. */
  const ended = new Set<FaultyPart>();
  let isOver = false;
  /** Nothing is said of what was not begun, or not finished. */
  let isCut = false;

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
        // A part that was dead before is started as the others are.
        if (!part.can.includes(kind) || (kind === "stop" && ended.has(part))) continue;
        await apply(part, { kind }).catch(async (error: unknown) => {
          // Without this it would stay drained after its start.
          if (part.can.includes("restore")) await applyInTime(part, { kind: "restore" }).catch(() => {});
          throw new Error(`${kind} ${part.name}: ${messageOf(error)}`, { cause: error });
        });
      }
    }
  };
  const execute = async (planned: PlannedFault): Promise<void> => {
    const { fault, parts } = planned;
    const { atMs: _, part: _name, ...deed } = fault;
    // Only faults that are under way are waited for.
    if (isOver) return;
    const beganMs = passedMs();
    const outcome = await (deed.kind === "roll" ? roll(parts) : apply(parts[0] as FaultyPart, deed)).then(
      // A roll takes effect with its first part.
      () => ({ effectMs: deed.kind === "roll" ? beganMs : passedMs() }),
      (error: unknown) => ({ effectMs: null, error: messageOf(error) }),
    );
    if (isCut && "error" in outcome && outcome.error === TOO_EARLY) return;
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
    /**
     * Begins no further fault, waits for those under way, and resumes paused processes. Takes 20 s at most; never rejects.
     *
     * @param keepsRest whether faults that were not begun are recorded as failed.
     */
    end: async (keepsRest: boolean): Promise<void> => {
      isOver = true;
      isCut = !keepsRest;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(busy.values());
      // Stopping a server resumes its processes as well, but it is asked for its counts before that.
      await Promise.allSettled([...paused].map(async (part) => applyInTime(part, { kind: "resume" })));
      for (const planned of keepsRest ? plan : []) {
        if (!done.has(planned)) done.set(planned, { ...planned.fault, effectMs: null, error: TOO_EARLY });
      }
    },
    /** The records of all faults in the order of the plan, for a measurement that began at a moment (ISO 8601). */
    told: (startedAt: string): readonly DoneFault[] => {
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

/** Faults that leave no process of a part paused. */
const ENDS_PAUSE = new Set<FaultKind>(["resume", "kill", "stop", "start"]);

/** Does a fault to a part; rejects if that fails or takes too long. */
async function applyInTime(part: FaultyPart, deed: FaultDeed): Promise<void> {
  await inTime(part.apply(deed), { limitMs: LIMIT_MS, late: `it took longer than ${LIMIT_MS / 1000} s` });
}
