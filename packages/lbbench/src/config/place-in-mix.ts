import { formatPath } from "./format-path.js";

/** Names a place in a mix, whether it was written in a config file or in that of `--mix`: `mix[1].bodiesFile (--mix)`. */
export function placeInMix(index: number, ...path: readonly PropertyKey[]): string {
  return `${formatPath(["mix", index, ...path])} (--mix)`;
}
