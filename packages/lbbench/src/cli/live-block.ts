import { textWidth } from "../index.js";
import type { CommandIo, Output } from "./io.js";

/** What is needed of a terminal, and what Node calls itself when it hears of a new size: asks the system for it. */
export type Terminal = Pick<Output, "columns" | "rows" | "write" | "on" | "off"> & { _refreshSize?: () => void };

/** Lines at the bottom of the output that are drawn again and again. */
export interface LiveBlock {
  readonly start: () => void;
  /** Prints a line above them, at once. */
  readonly say: (line: string) => void;
  /** Takes them away. May be called more than once. */
  readonly stop: () => void;
}

const REDRAW_MS = 100;
/** Of a terminal that does not know its width. */
export const FALLBACK_COLUMNS = 80;
const FALLBACK_ROWS = 24;
const CLEAR_TO_END_OF_LINE = "\u001B[K";
const CLEAR_BELOW = "\u001B[J";
const GRAPHEMES = new Intl.Segmenter();

/**
 * Draws what `render` returns for so many columns, ten times a second where it changes, and at once when the terminal gets another
 * size. Lines that there are no rows for are left out, the last ones first.
 *
 * The cursor rests at the start of the row below the block and stays visible, so that nothing has to be put right however the
 * process ends, and a prompt that comes then stands by itself.
 *
 * @param reflows whether the terminal breaks lines anew that have become too long for it.
 */
export function createLiveBlock(
  terminal: Terminal,
  render: (columns: number) => readonly string[],
  reflows = true,
): LiveBlock {
  let timer: NodeJS.Timeout | undefined;
  let drawn: readonly string[] = [];

  const columns = (): number => terminal.columns || FALLBACK_COLUMNS;
  const toTop = (): string => {
    const rows = drawn.reduce((sum, line) => sum + (reflows ? rowsOf(line, columns()) : 1), 0);
    return rows === 0 ? "" : `\u001B[${rows}A\r`;
  };
  const linesNow = (): readonly string[] =>
    timer === undefined ? [] : render(columns()).slice(0, Math.max(0, (terminal.rows || FALLBACK_ROWS) - 1));
  /** Draws the lines of now over the former ones, below a text. */
  const draw = (lines: readonly string[], above = ""): void => {
    const clear = drawn.length === 0 ? "" : CLEAR_BELOW;
    // A line that stays is written over in its place, so that nothing flickers; what is said takes other places.
    const [before, after] = above === "" ? ["", clear] : [clear, ""];
    const text = lines.map((line) => `${line}${CLEAR_TO_END_OF_LINE}\n`).join("");
    terminal.write(`${toTop()}${before}${above}${text}${after}`);
    drawn = lines;
  };
  const redraw = (): void => {
    // The news of a new size may be on its way, and what is drawn for another one leaves something behind.
    terminal._refreshSize?.();
    const lines = linesNow();
    if (lines.length !== drawn.length || lines.some((line, index) => line !== drawn[index])) draw(lines);
  };
  const resized = (): void => draw(linesNow());
  return {
    start: () => {
      if (timer !== undefined) return;
      timer = setInterval(redraw, REDRAW_MS).unref();
      terminal.on("resize", resized);
      redraw();
    },
    say: (line) => {
      terminal._refreshSize?.();
      draw(linesNow(), `${line}\n`);
    },
    stop: () => {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      terminal.off("resize", resized);
      draw([]);
    },
  };
}

/** How many rows a line of plain text takes in a terminal of so many columns; a character that takes two never stands on both. */
function rowsOf(line: string, columns: number): number {
  let rows = 1;
  let taken = 0;
  for (const { segment } of GRAPHEMES.segment(line)) {
    const width = textWidth(segment);
    if (taken + width > columns) {
      rows += 1;
      taken = 0;
    }
    taken += width;
  }
  return rows;
}

/**
 * Whether a terminal breaks lines anew when it gets narrower, as nearly all do now; xterm itself, st, GNU screen and the Linux console
 * cut them. To draw over what was drawn one has to know, and a terminal cannot be asked without taking what is typed into it.
 */
export function doesReflow(env: CommandIo["env"]): boolean {
  // What was started in tmux may know of the terminal around it.
  if (env["TMUX"] !== undefined) return true;
  const { TERM: term = "", STY: screen, XTERM_VERSION: xterm } = env;
  return screen === undefined && xterm === undefined && !/^(linux|st|screen)($|[-.])/.test(term);
}
