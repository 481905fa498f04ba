import { EventEmitter } from "node:events";
import xterm from "@xterm/headless";
import stringWidth from "string-width";
import type { Terminal } from "../live-block.js";

/** A terminal that can be looked at: what is written to it is drawn as a real one draws it, long lines broken anew when it is resized. */
export interface Screen {
  /** What a program is given to write to; it hears of new sizes. */
  readonly terminal: Terminal;
  /** Draws bytes that come from elsewhere. */
  readonly write: (bytes: string | Uint8Array) => void;
  /** Gives the window another size, and tells it to the program, after `meanwhile`. */
  readonly resize: (columns: number, rows: number, meanwhile?: () => void) => Promise<void>;
  /** Every line since the start, what has scrolled out of sight included; one that wraps is one line. None at the end is empty. */
  readonly lines: () => Promise<readonly string[]>;
  /** The rows that can be seen. */
  readonly rows: () => Promise<readonly string[]>;
  /** The row of the window in which the cursor is, from 0, and its column. */
  readonly cursor: () => Promise<readonly [row: number, column: number]>;
}

const SCROLLBACK = 5000;

/** Opens a terminal of so many columns and rows. Emoji and CJK characters take two columns in it, as in those that people use. */
export function openScreen(columns: number, rows: number): Screen {
  const screen = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK,
    convertEol: true,
    allowProposedApi: true,
  });
  screen.unicode.register({
    version: "wide",
    wcwidth: columnsOf,
    charProperties,
  } as Parameters<typeof screen.unicode.register>[0]);
  screen.unicode.activeVersion = "wide";
  const told = new EventEmitter();
  const drawn = (): Promise<void> => new Promise((resolve) => screen.write("", resolve));
  const size = { columns, rows };
  const refreshSize = (): void => {
    if (size.columns === screen.cols && size.rows === screen.rows) return;
    Object.assign(size, { columns: screen.cols, rows: screen.rows });
    told.emit("resize");
  };
  const terminal = {
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    isTTY: true,
    write: (text: string) => {
      screen.write(text);
      return true;
    },
    on: told.on.bind(told),
    off: told.off.bind(told),
    _refreshSize: refreshSize,
  };
  const rowAt = (index: number): string => screen.buffer.active.getLine(index)?.translateToString(true) ?? "";
  return {
    terminal: terminal as unknown as Terminal,
    write: (bytes) => screen.write(bytes),
    resize: async (newColumns, newRows, meanwhile = () => {}) => {
      await drawn();
      screen.resize(newColumns, newRows);
      meanwhile();
      refreshSize();
      await drawn();
    },
    lines: async () => {
      await drawn();
      const buffer = screen.buffer.active;
      const lines: string[] = [];
      for (let index = 0; index < buffer.length; index += 1) {
        const line = buffer.getLine(index);
        const isWrappedOn = buffer.getLine(index + 1)?.isWrapped ?? false;
        // A character of two columns leaves the last one empty where it goes on in the next row.
        const isSpilt = isWrappedOn && line?.getCell(screen.cols - 1)?.getChars() === "";
        const text = line?.translateToString(!isWrappedOn, 0, isSpilt ? screen.cols - 1 : screen.cols) ?? "";
        if (line?.isWrapped === true) lines.push(`${lines.pop() ?? ""}${text}`);
        else lines.push(text);
      }
      while (lines.at(-1)?.trim() === "") lines.pop();
      return lines.map((line) => line.trimEnd());
    },
    rows: async () => {
      await drawn();
      const { viewportY } = screen.buffer.active;
      return Array.from({ length: screen.rows }, (_, row) => rowAt(viewportY + row));
    },
    cursor: async () => {
      await drawn();
      const { cursorX, cursorY } = screen.buffer.active;
      return [cursorY, cursorX];
    },
  };
}

/** Columns in bits 1 and 2; bit 0 says that it is drawn over the character before it. */
function charProperties(code: number, preceding: number): number {
  const before = (preceding >> 1) & 3;
  return columnsOf(code) === 0 && before > 0 ? (before << 1) | 1 : columnsOf(code) << 1;
}

function columnsOf(code: number): 0 | 1 | 2 {
  return Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2;
}
