import type { WriteStream } from "node:tty";
import { styleText } from "node:util";

/** Colours of what is good, doubtful and bad. */
export type Colour = "green" | "yellow" | "red";

/** Colours a text that is printed on `stream`; only on a terminal that can, and where `NO_COLOR` does not ask for none. */
export function paintText(stream: Pick<WriteStream, "isTTY">, colour: Colour, text: string): string {
  const { NO_COLOR: noColour = "", TERM: terminal = "" } = process.env;
  const hasColours = stream.isTTY && noColour === "" && terminal !== "dumb";
  // Where the text goes was looked at here, and need not be stdout.
  return hasColours ? styleText(colour, text, { validateStream: false }) : text;
}
