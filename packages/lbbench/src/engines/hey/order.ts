import type { Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import type { ProgramOrder } from "../driven-program/create-program-engine.js";
import { programTarget, requestBody } from "../driven-program/program-target.js";
import { secondsAtLeast } from "../driven-program/whole-seconds.js";
import type { HeyOptions } from "./options.js";

const BODY_FILE = "body";

/** Puts a load to hey: its arguments, and the file that they name. */
export function orderHey(load: Load, { cpus }: HeyOptions): ProgramOrder {
  const { level, timeoutMs, keepAlive, request } = load;
  const { url, headers } = programTarget(load);
  const body = requestBody(load);
  const amount = level.requests === undefined ? ["-z", `${level.durationMs ?? 0}ms`] : ["-n", String(level.requests)];
  return {
    args: [
      "-c",
      String(closedConnections(level)),
      ...amount,
      "-t",
      String(secondsAtLeast(timeoutMs)),
      "-disable-compression",
      "-disable-redirects",
      ...(keepAlive ? [] : ["-disable-keepalive"]),
      ...(cpus === undefined ? [] : ["-cpus", String(cpus)]),
      "-m",
      request.method,
      ...(body === null ? [] : ["-D", BODY_FILE]),
      ...headers.flatMap(([name, value]) =>
        name.toLowerCase() === "host" ? ["-host", value] : ["-H", `${name}: ${value}`],
      ),
      url,
    ],
    files: body === null ? {} : { [BODY_FILE]: body },
    reads: [],
  };
}
