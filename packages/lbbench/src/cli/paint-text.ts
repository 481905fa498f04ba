import { styleText } from "node:util";
import type { CommandIo, Output } from "./io.js";

/** Colours of what is good, doubtful and bad. */
export type Colour = "green" | "yellow" | "red";

/** Colours a text that is printed on `stream`; only on a terminal that can, and where `NO_COLOR` does not ask for none. */
export function paintText(stream: Pick<Output, "isTTY">, env: CommandIo["env"], colour: Colour, text: string): string {
  const { NO_COLOR: noColour = "", TERM: terminal = "" } = env;
  const hasColours = stream.isTTY === true && noColour === "" && terminal !== "dumb";
  // Where the text goes was looked at here, and need not be stdout.
  return hasColours ? styleText(colour, text, { validateStream: false }) : text;
}
