import { z } from "zod";
import { closedConnections } from "../../stats/load.js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import { planRequest } from "../request-plan.js";
import { enterOpenLoop } from "./enter-open-loop.js";
import { enterUser } from "./enter-user.js";
import { createSchedule } from "./schedule.js";
import { warmUp } from "./warm-up.js";
import { startTicker, type Ticker } from "./ticker.js";

/** Which share of a schedule a generator takes; its level and its limits are those of the whole. */
export const scheduleShare = z.strictObject({ share: z.int().min(0), of: z.int().min(1), maxInFlight: z.int().min(1) });

let ticker: Promise<Ticker> | undefined;
let warm: Promise<void> | undefined;

/** Returns what builds the users that send a load. */
export async function undiciClients(load: GeneratorLoad): Promise<BuildClients> {
  warm ??= warmUp();
  await warm;
  return load.level.rate === undefined ? closedLoop(load) : openLoop(load, load.level.rate);
}

function closedLoop(load: GeneratorLoad): BuildClients {
  const plan = { ...planRequest(load), keepAlive: load.keepAlive };
  return (run) => {
    const users = Array.from({ length: closedConnections(load.level) }, () => enterUser(run, plan));
    return {
      stop: async () => {
        await Promise.all(users.map((user) => user.close()));
      },
    };
  };
}

async function openLoop(load: GeneratorLoad, rate: number): Promise<BuildClients> {
  const { arrival, level } = load;
  if (arrival === undefined) throw new Error("A load that is a rate came without a schedule");
  const { maxInFlight, ...share } = scheduleShare.parse(load.options);
  const schedule = {
    ...arrival,
    ...share,
    rate,
    ...(level.requests === undefined ? {} : { requests: level.requests }),
    ...(level.durationMs === undefined ? {} : { durationUs: level.durationMs * 1000 }),
  };
  const endsByItself = level.durationMs === undefined || load.atEnd === "drain";
  const plan = { ...planRequest(load), keepAlive: load.keepAlive, maxInFlight, endsByItself };
  ticker ??= startTicker();
  const started = await ticker;
  return (run) => {
    const loop = enterOpenLoop(run, { ...plan, nextDueUs: createSchedule(schedule) }, started);
    return { stop: loop.close };
  };
}
