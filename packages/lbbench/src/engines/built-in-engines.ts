import type { Engine } from "../plugin.js";
import { autocannonEngine } from "./autocannon/engine.js";

/** The engines that come with lbbench, by name. */
export const builtInEngines: ReadonlyMap<string, Engine> = new Map([[autocannonEngine.name, autocannonEngine]]);
