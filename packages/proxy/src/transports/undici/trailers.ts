import { trailerLines } from "../../http/trailers.js";

/** Trailers from their bytes, as lines. */
export function trailersOfBytes(raw: readonly Buffer[]): string {
  return trailerLines(raw.map((text) => text.toString("latin1")));
}
