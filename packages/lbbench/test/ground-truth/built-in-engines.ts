import { autocannonEngine } from "../../src/engines/autocannon/engine.js";
import { undiciEngine } from "../../src/engines/undici/engine.js";
import type { CompleteEngine } from "../../src/engines/complete-engine.js";

/** Every engine that comes with lbbench and speaks HTTP: each has to agree with the server of known behaviour. */
export const BUILT_IN_ENGINES: readonly CompleteEngine[] = [autocannonEngine, undiciEngine];
