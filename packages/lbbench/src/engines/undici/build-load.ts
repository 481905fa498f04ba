import type { BuildClients, GeneratorLoad } from "../generator.js";
import { mixRequests } from "../request-mix.js";
import { planDestination } from "../request-plan.js";
import { splitEvenly } from "../split-level.js";
import { userStartsUs } from "../user-starts.js";
import { chooseRequesters } from "./choose-requesters.js";
import { enterOpenLoop } from "./enter-open-loop.js";
import { enterUser } from "./enter-user.js";
import { warmUpHttp2 } from "./http2/warm-up-http2.js";
import { undiciOptions } from "./options.js";
import type { RequesterPlan } from "./requester.js";
import { createSchedule } from "./schedule.js";
import { startOnce } from "./start-once.js";
import { warmUp } from "./warm-up.js";
import { startTicker } from "./ticker.js";

const ticker = startOnce(startTicker);
const warmHttp1 = startOnce(warmUp);
const warmHttp2 = startOnce(warmUpHttp2);

/** Returns what builds the users that send a load. */
export async function undiciClients(load: GeneratorLoad): Promise<BuildClients> {
  await (load.httpVersion === "2" ? warmHttp2() : warmHttp1());
  return load.level.rate === undefined ? closedLoop(load) : openLoop(load, load.level.rate);
}

function closedLoop(load: GeneratorLoad): BuildClients {
  const plan = planRequests(load);
  return (run) => {
    const starts = userStartsUs(load, load.place);
    const createRequester = chooseRequesters(run, plan, shareOut(starts.length, plan));
    const users = starts.map((startUs) => enterUser(run, createRequester, startUs));
    return {
      stop: async () => {
        await Promise.all(users.map((user) => user.close()));
      },
    };
  };
}

async function openLoop(load: GeneratorLoad, rate: number): Promise<BuildClients> {
  const { arrival, level, place } = load;
  if (arrival === undefined) throw new Error("A load that is a rate came without a schedule");
  const schedule = {
    ...arrival,
    share: place.index,
    of: place.of,
    rate,
    ...(level.requests === undefined ? {} : { requests: level.requests }),
    ...(level.durationMs === undefined ? {} : { durationUs: level.durationMs * 1000 }),
  };
  const endsByItself = level.durationMs === undefined || load.atEnd === "drain";
  const plan = { ...planRequests(load), maxInFlight: arrival.maxInFlight, endsByItself };
  const started = await ticker();
  return (run) => {
    const loop = enterOpenLoop(run, { ...plan, nextDueUs: createSchedule(schedule) }, started);
    return { stop: loop.close };
  };
}

function planRequests(load: GeneratorLoad): RequesterPlan {
  const { streams } = undiciOptions.parse(load.options);
  return {
    ...planDestination(load),
    keepAlive: load.keepAlive,
    mix: mixRequests(load, load.place),
    ...(load.httpVersion === "2" ? { http2: { streams } } : {}),
  };
}

/** How many users each connection has: no more than may share one, spread evenly over as few as that takes. */
function shareOut(users: number, { http2 = { streams: 1 } }: RequesterPlan): readonly number[] {
  return splitEvenly(users, Math.ceil(users / http2.streams));
}
