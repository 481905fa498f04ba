import type { Engine } from "../plugin.js";
import { autocannonEngine } from "./autocannon/engine.js";
import { grpcEngine } from "./grpc/engine.js";
import { undiciEngine } from "./undici/engine.js";

const engines: readonly Engine[] = [autocannonEngine, undiciEngine, grpcEngine];

/** The engines that come with lbbench, by name. */
export const builtInEngines: ReadonlyMap<string, Engine> = new Map(engines.map((engine) => [engine.name, engine]));
