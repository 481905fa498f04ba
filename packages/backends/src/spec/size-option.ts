import type { SizedSpec } from "../handler-spec.js";
import { parseSize } from "./size.js";

/** The option `size`, as it stands in a spec. */
export function readSize(options: ReadonlyMap<string, string>): SizedSpec {
  const text = options.get("size");
  return text === undefined ? {} : { sizeBytes: parseSize(text) };
}

/** The option `size`, as it stands in text. */
export function writeSize({ sizeBytes }: SizedSpec): readonly (readonly [string, string])[] {
  return sizeBytes === undefined ? [] : [["size", String(sizeBytes)]];
}
