import { renderSummary, type PaintVerdict, type Result } from "../index.js";
import type { CommandIo, Output } from "./io.js";
import { paintText } from "./paint-text.js";

const COLOURS = { pass: "green", inconclusive: "yellow", fail: "red" } as const;

/** Returns the summary of a result as wide as the stream it goes to, its verdict in colour where that shows colours. */
export function paintSummary(result: Result, output: Output, env: CommandIo["env"]): string {
  const paint: PaintVerdict = (text, status) => paintText(output, env, COLOURS[status], text);
  return renderSummary(result, output.columns || undefined, paint);
}
