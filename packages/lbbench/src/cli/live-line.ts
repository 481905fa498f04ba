import type { WriteStream } from "node:tty";

/** What is needed of a terminal. */
export type Terminal = Pick<WriteStream, "columns" | "write">;

/** A line at the bottom of the output that is drawn again and again. */
export interface LiveLine {
  readonly start: () => void;
  /** Prints a line above it, at once. */
  readonly say: (line: string) => void;
  /** Takes it away. May be called more than once. */
  readonly stop: () => void;
}

const REDRAW_MS = 100;
const CLEAR_TO_END = "\u001B[K";

/**
 * Draws what `render` returns, ten times a second where it changes. The cursor stays visible, so that nothing has to be
 * put right however the process ends.
 */
export function createLiveLine(terminal: Terminal, render: () => string): LiveLine {
  let timer: NodeJS.Timeout | undefined;
  let drawn = "";
  const draw = (): void => {
    const line = render();
    if (line !== drawn) terminal.write(`\r${line}${CLEAR_TO_END}`);
    drawn = line;
  };
  const clear = (): void => {
    if (drawn !== "") terminal.write(`\r${CLEAR_TO_END}`);
    drawn = "";
  };
  return {
    start: () => {
      timer ??= setInterval(draw, REDRAW_MS).unref();
      draw();
    },
    say: (line) => {
      clear();
      terminal.write(`${line}\n`);
      if (timer !== undefined) draw();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      clear();
    },
  };
}
