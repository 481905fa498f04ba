import type { Level } from "../../model/level.js";
import { describeAmount, describeLoad } from "../describe-level.js";

/** Names a level so that it differs from every other of a scenario: `50 connections, 1,000 requests`. */
export function namePlace(level: Level): string {
  return [describeLoad(level), describeAmount(level)].filter((part) => part !== "").join(", ");
}
