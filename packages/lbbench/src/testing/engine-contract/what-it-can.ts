import type { Level } from "../../model/level.js";
import type { Engine, LoadAmount } from "../../plugin.js";
import type { Answer } from "../counting-server.js";
import type { EngineCheck } from "./engine-check.js";

/** How long a load for a time lasts: whole seconds, which all engines can do. */
export const TIMED_MS = 1000;

/** Whether it speaks HTTP; otherwise it speaks gRPC. */
export function speaksHttp({ supports }: Engine): boolean {
  return supports.protocols.includes("http");
}

/** Whether a step of it can be so much load. */
export function canSend({ supports }: Engine, amount: LoadAmount): boolean {
  return supports.amounts?.includes(amount) ?? true;
}

/** Whether its load can be split. */
export function canSplit({ supports }: Engine): boolean {
  return supports.generators ?? true;
}

/** Two generators for an engine that can have them. */
export function twoWhereItCan(engine: Engine): number {
  return canSplit(engine) ? 2 : 1;
}

/**
 * A load of which exactly so many requests are answered, whatever the engine can be told: in a load for a time the server
 * leaves all further requests open.
 */
export function answeredExactly(
  engine: Engine,
  connections: number,
  requests: number,
  answer: (number: number) => Answer = () => "ok",
): Required<Pick<EngineCheck, "level" | "answer">> {
  return canSend(engine, "requests")
    ? { level: { connections, requests }, answer }
    : {
        level: { connections, durationMs: TIMED_MS },
        answer: (number) => (number > requests ? "nothing" : answer(number)),
      };
}

/** Two of what its levels can be values of: for so many requests, or for a time where that cannot be said. */
export function twoFor(engine: Engine, amount: Pick<Level, "requests" | "durationMs">): Level {
  const { loads } = engine.supports;
  if (!loads.includes("connections") && loads.includes("users")) {
    return { users: 2, durationMs: amount.durationMs ?? TIMED_MS };
  }
  const value = loads.includes("connections") ? { connections: 2 } : { rate: 200 };
  return {
    ...value,
    ...(canSend(engine, "requests") || amount.requests === undefined ? amount : { durationMs: TIMED_MS }),
  };
}
