import type { Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import type { ProgramOrder } from "../driven-program/create-program-engine.js";
import { programTarget } from "../driven-program/program-target.js";
import { secondsAtLeast } from "../driven-program/whole-seconds.js";
import { requestBytes } from "../request-bytes.js";
import type { WrkOptions } from "./options.js";
import { FIGURES_FILE, wrkScript } from "./script.js";

const SCRIPT_FILE = "script.lua";

/** Puts a load to wrk: its arguments, and the script that they name, in which are the bytes of the request. */
export function orderWrk(load: Load, { threads }: WrkOptions): ProgramOrder {
  const { level, timeoutMs, request, keepAlive, url } = load;
  return {
    args: [
      "-t",
      String(threads),
      "-c",
      String(closedConnections(level)),
      "-d",
      `${secondsAtLeast(level.durationMs ?? 0)}s`,
      "--timeout",
      `${secondsAtLeast(timeoutMs)}s`,
      "-s",
      SCRIPT_FILE,
      programTarget(load).url,
    ],
    files: { [SCRIPT_FILE]: wrkScript(requestBytes(new URL(url), request, keepAlive)) },
    reads: [FIGURES_FILE],
  };
}
