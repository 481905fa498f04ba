import type { TargetEngine, ToldScenario } from "../model/scenario.js";
import { formatCount } from "./format-number.js";

/**
 * Says how requests are sent where that is not HTTP/1.1: `HTTP/2`, or `HTTP/2, up to 10 users on a connection`; `undefined`
 * for HTTP/1.1, and where it is not told.
 */
export function describeHttp({
  httpVersion,
  engine,
  targets,
}: Pick<ToldScenario, "httpVersion" | "engine" | "targets">): string | undefined {
  if (httpVersion === "1.1" || httpVersion === null) return undefined;
  const streams = Math.max(...[engine, ...targets.flatMap((target) => target.engine ?? [])].map(streamsOf));
  return `HTTP/${httpVersion}${streams > 1 ? `, up to ${formatCount(streams)} users on a connection` : ""}`;
}

function streamsOf({ options: { streams } }: TargetEngine): number {
  return typeof streams === "number" ? streams : 1;
}
