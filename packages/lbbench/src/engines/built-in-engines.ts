import type { Engine } from "../plugin.js";
import { abEngine } from "./ab/engine.js";
import { autocannonEngine } from "./autocannon/engine.js";
import { grpcEngine } from "./grpc/engine.js";
import { heyEngine } from "./hey/engine.js";
import { undiciEngine } from "./undici/engine.js";
import { wrkEngine } from "./wrk/engine.js";

const engines: readonly Engine[] = [autocannonEngine, undiciEngine, grpcEngine, abEngine, wrkEngine, heyEngine];

/** The engines that come with lbbench, by name. */
export const builtInEngines: ReadonlyMap<string, Engine> = new Map(engines.map((engine) => [engine.name, engine]));
