import type { Level } from "../model/level.js";
import type { Load } from "../plugin.js";
import { aRequest } from "./fixtures.js";

/** Builds a load as an engine gets it: GET, keep-alive, a timeout of 2 s. */
export function aLoad(level: Level, overrides: Partial<Load> = {}): Load {
  return {
    url: "http://127.0.0.1:18099/",
    level,
    request: aRequest(),
    timeoutMs: 2000,
    keepAlive: true,
    options: {},
    atEnd: "cut",
    generators: 1,
    ...overrides,
  };
}
