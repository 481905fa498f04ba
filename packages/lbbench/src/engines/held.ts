/** Connections that are held: opened at the pace of the server, and each asked now and then. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Burst, Clients, GeneratorLoad } from "./generator.js";
import { LoadRun, type LoadUser } from "./load-run.js";
import { Recorder } from "./recorder.js";
import { closeAll, enterUsers, type Requester, type Senders } from "./requester.js";
import { userStartsUs } from "./shares.js";

/** Connections that wait for their first answer at a time, of all generators: half of the backlog of Node and nginx, 511. */
const OPENING = 256;

/** Requests that leave in one turn of the event loop: more would keep the answers waiting. */
const ASKED_PER_TURN = 32;

/** Requests are on time again when none has waited for its turn at so many looks in a row. */
const LOOKS_ON_TIME = 5;
const LOOK_MS = 50;

/** A connection that is held, or is to be. */
interface Held {
  readonly requester: Requester;
  readonly user: LoadUser;
  /** `waiting`: to be opened. `opening`: for its first outcome. */
  state: "waiting" | "opening" | "idle" | "busy";
}

/**
 * Enters users who each hold a connection. At most {@link OPENING} of them wait for their first answer at a time. Each user has its own
 * place in the interval, so that requests are spread evenly. A lost connection is opened again with the next request of its user.
 */
export async function enterHeld(
  run: LoadRun,
  load: GeneratorLoad,
  requestersFor: Senders["requestersFor"],
): Promise<Clients> {
  const { hold, place } = load;
  if (hold === undefined) throw new RangeError("Expected a load whose connections are held, got another one");
  const createRequester = await requestersFor(run);
  const mostOpening = Math.max(1, Math.floor(OPENING / place.of));
  const queue: Held[] = [];
  let opening = 0;
  const send = (held: Held, first: boolean): void => {
    held.state = first ? "opening" : "busy";
    if (run.take(first)) return held.requester.send();
    run.leave(held.user);
    void held.requester.close();
  };
  const openSome = (): void => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      opening += 1;
      send(next, true);
      if (opening >= mostOpening) return;
    }
  };
  const create = (): Held => {
    const requester = createRequester(() => {
      const wasOpening = held.state === "opening";
      held.state = "idle";
      if (!wasOpening) return;
      opening -= 1;
      openSome();
    });
    const start = (): void => {
      queue.push(held);
      ask();
      if (opening < mostOpening) openSome();
    };
    const held: Held = { requester, user: { start, cut: () => requester.cut() }, state: "waiting" };
    run.enter(held.user);
    return held;
  };
  const all = userStartsUs(load, place).map(create);
  const slotUs = (hold.everyMs * 1000) / all.length;
  const dueUs = (slot: number): number => (slot + place.index / place.of) * slotUs;
  let slot = 0;
  let isAsking = false;
  let isBehind = false;
  /** Asks those whose turn has come, for as long as the load lasts. */
  const ask = (): void => {
    if (isAsking) return;
    isAsking = true;
    const tick = (): void => {
      if (run.isOver) return;
      const nowUs = run.nowUs();
      // Where this process was held up for longer than the interval, each is asked once.
      slot = Math.max(slot, Math.floor(nowUs / slotUs) - all.length);
      for (let asked = 0; dueUs(slot) <= nowUs; slot += 1) {
        isBehind = asked === ASKED_PER_TURN;
        if (isBehind) return void setImmediate(tick);
        const held = all[slot % all.length];
        if (held?.state !== "idle") continue;
        asked += 1;
        send(held, false);
      }
      isBehind = false;
      setTimeout(tick, (dueUs(slot) - nowUs) / 1000);
    };
    tick();
  };
  /** While many connections are opened, the machine is so busy that requests wait. Requests that never are on time are not waited for. */
  const caughtUp = async (): Promise<void> => {
    const endMs = performance.now() + hold.everyMs;
    for (let onTime = 0; onTime < LOOKS_ON_TIME && performance.now() < endMs && !run.isOver;) {
      onTime = isBehind ? 0 : onTime + 1;
      await sleep(LOOK_MS);
    }
  };
  const stop = (): Promise<void> => closeAll(all.map(({ requester }) => requester));
  const { burst: count = 0 } = hold;
  if (count === 0) return { stop, caughtUp };
  const burst = await prepareBurst({ ...load, level: { connections: count } }, requestersFor);
  return { burst, caughtUp, stop: async () => void (await Promise.all([stop(), burst.close()])) };
}

/** When a burst begins, and how long it lasts, as parts of the measurement. What memory connections take is looked at before. */
const BURST_BEGINS = 2 / 3;
const BURST_LASTS = 1 / 6;

/** Prepares a closed loop that is recorded by itself. */
async function prepareBurst(
  load: GeneratorLoad,
  requestersFor: Senders["requestersFor"],
): Promise<Burst & { readonly close: () => Promise<void> }> {
  const run = new LoadRun(new Recorder({ mergeable: load.place.of > 1 }));
  const clients = enterUsers(run, load, await requestersFor(run));
  let timer: NodeJS.Timeout | undefined;
  let isBegun = false;
  const begin = (lastsMs: number): void => {
    isBegun = true;
    run.start(-performance.now() * 1000);
    timer = setTimeout(() => run.cut(), lastsMs);
  };
  return {
    plan: (lastsMs) => {
      timer = setTimeout(() => begin(lastsMs * BURST_LASTS), lastsMs * BURST_BEGINS);
    },
    end: async () => {
      clearTimeout(timer);
      if (!isBegun) return undefined;
      run.cut();
      const { inFlight, stoppedUs } = await run.ended;
      return run.recorder.finish(inFlight, stoppedUs);
    },
    close: clients.stop,
  };
}
