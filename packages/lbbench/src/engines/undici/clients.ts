import { DEFAULTS } from "../../config/defaults.js";
import type { HttpVersion } from "../../model/scenario.js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import { Backoff, type LoadRun, type LoadUser } from "../load-run.js";
import { mixRequests } from "../requests.js";
import { splitEvenly, userStartsUs } from "../shares.js";
import { destinationOf } from "../sockets.js";
import type { CreateRequester, RequesterPlan } from "./account.js";
import type { UndiciOptions } from "./engine.js";
import { createHttp1Requesters } from "./http1.js";
import { createHttp2Requesters } from "./http2/requester.js";
import { createSchedule, enterOpenLoop } from "./open-loop.js";
import { startTicker } from "./ticker.js";
import { warmUpHttp1, warmUpHttp2 } from "./warm-up.js";

const ticker = startOnce(startTicker);
const warmedUp = { "1.1": startOnce(warmUpHttp1), "2": startOnce(warmUpHttp2) };

/** What all requesters of a load have in common, and how many of them share a connection at a time. */
interface ClientsPlan extends RequesterPlan {
  readonly httpVersion: HttpVersion;
  readonly streams: number;
}

/** Returns what builds the users that send a load. */
export async function undiciClients(load: GeneratorLoad): Promise<BuildClients> {
  const { httpVersion = DEFAULTS.httpVersion, keepAlive, level } = load;
  // As the engine has read them.
  const { streams } = load.options as UndiciOptions;
  const mix = mixRequests(load, load.place);
  const plan = { ...destinationOf(load), mix, keepAlive, httpVersion, streams };
  await warmedUp[httpVersion]();
  return level.rate === undefined ? closedLoop(load, plan) : openLoop(load, plan, level.rate);
}

function closedLoop(load: GeneratorLoad, plan: ClientsPlan): BuildClients {
  return (run) => {
    const starts = userStartsUs(load, load.place);
    // No more share a connection than may, spread evenly over as few connections as that takes.
    const sizes = splitEvenly(starts.length, Math.ceil(starts.length / plan.streams));
    const createRequester = chooseRequesters(run, plan, sizes);
    const users = starts.map((startUs) => enterUser(run, createRequester, startUs));
    return {
      stop: async () => {
        await Promise.all(users.map((user) => user.close()));
      },
    };
  };
}

async function openLoop(load: GeneratorLoad, plan: ClientsPlan, rate: number): Promise<BuildClients> {
  const { arrival, level, place, atEnd } = load;
  if (arrival === undefined) throw new Error("A load that is a rate came without a schedule");
  const schedule = {
    ...arrival,
    share: place.index,
    of: place.of,
    rate,
    ...(level.requests === undefined ? {} : { requests: level.requests }),
    ...(level.durationMs === undefined ? {} : { durationUs: level.durationMs * 1000 }),
  };
  const { streams } = plan;
  const { maxInFlight } = arrival;
  const endsByItself = level.durationMs === undefined || atEnd === "drain";
  const started = await ticker();
  return (run) => {
    const nextDueUs = createSchedule(schedule);
    const createRequester = chooseRequesters(run, plan, [streams]);
    const loop = enterOpenLoop(run, { createRequester, streams, nextDueUs, maxInFlight, endsByItself }, started);
    return { stop: loop.close };
  };
}

/**
 * Chooses the requesters that speak the version of HTTP that is planned.
 *
 * @param sizes how many share each connection by HTTP/2, one after the other; the last is that of all further ones. By
 *   HTTP/1.1 each has its own.
 */
function chooseRequesters(run: LoadRun, plan: ClientsPlan, sizes: readonly number[]): CreateRequester {
  return plan.httpVersion === "2" ? createHttp2Requesters(run, plan, sizes) : createHttp1Requesters(run, plan);
}

/**
 * Makes a user of a closed loop, and enters it; returns what closes its connection.
 *
 * @param startUs when it starts, in microseconds from the common start.
 */
function enterUser(
  run: LoadRun,
  createRequester: CreateRequester,
  startUs: number,
): { readonly close: () => Promise<void> } {
  const backoff = new Backoff();
  let first = true;
  let waiting: NodeJS.Timeout | undefined;
  const next = (): void => {
    if (!run.take(first)) {
      run.leave(user);
      // Undici is still busy with the answer.
      queueMicrotask(() => void requester.close());
      return;
    }
    first = false;
    requester.send();
  };
  const requester = createRequester((connected) => {
    if (connected) {
      backoff.reset();
      next();
    } else {
      waiting = setTimeout(next, backoff.nextMs());
    }
  });
  const user: LoadUser = {
    start: next,
    cut: () => {
      clearTimeout(waiting);
      return requester.cut();
    },
  };
  run.enter(user, startUs);
  return { close: requester.close };
}

/** Returns what starts something when it is first asked for, and gives the same to all; after a failure, it is tried anew. */
function startOnce<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}
