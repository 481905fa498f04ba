import type { Engine } from "../plugin.js";
import { autocannonEngine } from "./autocannon/engine.js";
import { grpcEngine } from "./grpc/engine.js";
import { ab } from "./programs/ab.js";
import { createProgramEngine } from "./programs/adapter.js";
import { hey } from "./programs/hey.js";
import { wrk } from "./programs/wrk.js";
import { wireEngine } from "./wire/engine.js";

/** In the order in which `--engine auto` asks what they can do. */
const engines: readonly Engine[] = [
  autocannonEngine,
  wireEngine,
  grpcEngine,
  createProgramEngine(ab),
  createProgramEngine(wrk),
  createProgramEngine(hey),
];

/** The engines that come with lbbench, by name. */
export const builtInEngines: ReadonlyMap<string, Engine> = new Map(engines.map((engine) => [engine.name, engine]));
