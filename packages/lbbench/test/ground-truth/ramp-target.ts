import { grpcEngine } from "../../src/engines/grpc/engine.js";
import { undiciEngine } from "../../src/engines/undici/engine.js";
import type { CompleteEngine } from "../../src/engines/complete-engine.js";
import { answer, hang, hangUp } from "./action.js";
import { startGroundTruthServer } from "./ground-truth-server.js";
import { startGrpcTruthServer } from "./grpc-server.js";

/** What is done with a request. */
export interface RampAnswer {
  readonly what: "ok" | "non2xx" | "dropped" | "hang";
  readonly delayMs?: number;
}

/** A request as the server saw it, on the wall clock. */
export interface SeenRequest {
  readonly atMs: number;
  /** When it is answered. */
  readonly answerAtMs: number;
  readonly what: RampAnswer["what"];
  /** Users there have been so far, as far as the server can tell them apart. */
  readonly users: number;
}

/** A server of known behaviour that tells users apart: by HTTP their connections, by gRPC the calls that are under way. */
export interface RampTarget {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  readonly drained: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An engine that can raise users, and what starts a target for it. `behave` is given the number of a request, from 1. */
export interface RampSubject {
  readonly engine: CompleteEngine;
  readonly start: (behave: (number: number) => RampAnswer) => Promise<RampTarget>;
}

/** Every engine that comes with lbbench and can raise users. */
export const RAMP_SUBJECTS: readonly RampSubject[] = [
  {
    engine: undiciEngine,
    start: async (behave) => {
      const seen: SeenRequest[] = [];
      const server = await startGroundTruthServer((number) => {
        const given = behave(number);
        seen.push(look(given, server.log.accepted));
        const { what, delayMs = 0 } = given;
        if (what === "hang") return hang();
        if (what === "dropped") return hangUp("fin", delayMs);
        return answer(what === "ok" ? { delayMs } : { delayMs, outcome: "non2xx", status: 503 });
      });
      return { ...server, seen };
    },
  },
  {
    engine: grpcEngine,
    start: async (behave) => {
      const seen: SeenRequest[] = [];
      const server = await startGrpcTruthServer((number) => {
        const given = behave(number);
        seen.push(look(given, server.log.inProgress));
        const { what, delayMs = 0 } = given;
        if (what === "hang") return { end: "hang" };
        if (what === "dropped") throw new Error("Closing a connection would end the calls of other users as well");
        return { end: what === "ok" ? "OK" : "UNAVAILABLE", delayMs };
      });
      return { ...server, seen };
    },
  },
];

function look({ what, delayMs = 0 }: RampAnswer, users: number): SeenRequest {
  const atMs = Date.now();
  return { atMs, answerAtMs: atMs + delayMs, what, users };
}
