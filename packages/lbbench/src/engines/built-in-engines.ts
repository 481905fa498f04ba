import type { Engine } from "../plugin.js";
import { abEngine } from "./ab/engine.js";
import { autocannonEngine } from "./autocannon/engine.js";
import { grpcEngine } from "./grpc/engine.js";
import { webSocketEngine } from "./websocket/engine.js";
import { wireEngine } from "./wire/engine.js";

/** In the order in which `--engine auto` asks what they can do. */
const engines: readonly Engine[] = [autocannonEngine, wireEngine, grpcEngine, webSocketEngine, abEngine];

/** The engines that come with lbbench, by name. */
export const builtInEngines: ReadonlyMap<string, Engine> = new Map(engines.map((engine) => [engine.name, engine]));
