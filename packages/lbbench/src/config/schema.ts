import type * as z from "zod";
import { objectOf } from "./field.js";
import { CONFIG, flagInBrackets } from "./settings.js";
import { formatPath, type NamePlace } from "./validate.js";
import * as values from "./values.js";

/** What a config file may say, and a caller of the library; made of the table of settings. */
export const sweepInputSchema = objectOf(CONFIG, values).meta({
  title: "Config file of lbbench",
  description: "What a run is asked to do: everything has a default.",
});

/** What a sweep is asked to do, with lists, times and thresholds read. */
export type ParsedSweepInput = z.output<typeof sweepInputSchema>;

/** A server with its options, and what else was said of the target. */
export type GivenTarget = Exclude<NonNullable<ParsedSweepInput["targets"]>[number], string>;

/** A request, or an entry of a mix. */
export type GivenRequest = NonNullable<ParsedSweepInput["mix"]>[number];

/** Names a setting by its place, and by its flag where it has one: `engines.grpc.channels (--channels)`. */
export const nameSetting: NamePlace = (path) => formatPath(path) + flagInBrackets(path);
