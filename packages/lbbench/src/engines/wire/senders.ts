import { DEFAULTS } from "../../config/defaults.js";
import { http1Requesters, type AnswerListener, type OnComplete } from "../http1.js";
import { linePlanOf, type PrepareSenders } from "../requester.js";
import { userStartsUs } from "../shares.js";
import { AnswerScan } from "./answer-reader.js";
import type { WireOptions } from "./engine.js";
import { readEvents } from "./events.js";

/** By HTTP/1.1 each requester has a connection, by HTTP/2 so many share one. Connections that are held speak HTTP/1.1. */
export const wireSenders: PrepareSenders = async (load) => {
  const { httpVersion = DEFAULTS.httpVersion, level, place, hold, serverTiming = false } = load;
  // As the engine has read them.
  const { streams, events } = load.options as WireOptions;
  const plan = linePlanOf(load);
  if (httpVersion !== "2" || hold !== undefined) {
    const scan = (listener: AnswerListener, onComplete: OnComplete) =>
      new AnswerScan(listener, onComplete, serverTiming);
    const createReader = events === undefined ? scan : readEvents(events, scan);
    return { requestersFor: (run) => http1Requesters(run, plan, { createReader, phases: true, protocol: "http/1.1" }) };
  }
  // Loaded only when it is needed.
  const [{ http2Requesters }, { httpCodec }] = await Promise.all([import("../http2.js"), import("./http2.js")]);
  // Users in turn, so that those that come one after another share them evenly as well.
  const connections = level.rate === undefined ? Math.ceil(userStartsUs(load, place).length / streams) : undefined;
  const connectionOf = (requester: number): number =>
    connections === undefined ? Math.floor(requester / streams) : requester % connections;
  return { requestersFor: (run) => http2Requesters(run, plan, httpCodec(serverTiming), connectionOf), connectionOf };
};
