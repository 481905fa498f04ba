import { DEFAULTS } from "../../config/defaults.js";
import type { Clients, GeneratorLoad } from "../generator.js";
import { http1Requesters, type AnswerListener, type StreamListener } from "../http1.js";
import type { LoadRun } from "../load-run.js";
import { enterOpenLoop } from "../open-loop.js";
import { enterUsers, linePlanOf, type CreateRequester } from "../requester.js";
import { userStartsUs } from "../shares.js";
import { scanAnswers } from "./answer-reader.js";
import type { WireOptions } from "./engine.js";
import { readEvents } from "./events.js";

/** Builds the users that send a load. */
export async function wireClients(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  const { httpVersion = DEFAULTS.httpVersion, level, place, serverTiming = false } = load;
  // As the engine has read them.
  const { streams, events } = load.options as WireOptions;
  const plan = linePlanOf(load);
  const scan = (listener: AnswerListener) => scanAnswers(listener, serverTiming);
  const createReader = (listener: StreamListener) =>
    events === undefined ? scan(listener) : readEvents(listener, events, scan);
  const http1 = { createReader, phases: true, protocol: "http/1.1" } as const;
  const createRequesters = async (connectionOf: (requester: number) => number): Promise<CreateRequester> => {
    if (httpVersion !== "2") return http1Requesters(run, plan, http1);
    // Loaded only when it is needed.
    const [{ http2Requesters }, { httpCodec }] = await Promise.all([import("../http2.js"), import("./http2.js")]);
    return http2Requesters(run, plan, httpCodec(serverTiming), connectionOf);
  };
  if (load.hold !== undefined) {
    const requesters = async (of: LoadRun): Promise<CreateRequester> => http1Requesters(of, plan, http1);
    // Loaded only when it is needed.
    const { enterHeld } = await import("../held.js");
    return enterHeld(run, load, await requesters(run), requesters);
  }
  if (level.rate === undefined) {
    // In turn, so that users that come one after another share them evenly as well.
    const connections = Math.ceil(userStartsUs(load, place).length / streams);
    return enterUsers(run, load, await createRequesters((user) => user % connections));
  }
  const connectionOf = (requester: number): number => Math.floor(requester / streams);
  return enterOpenLoop(run, load, await createRequesters(connectionOf), connectionOf);
}
