import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { openScreen, type Screen } from "./screen.js";

/** A program on a terminal, at its end. */
export interface EndOnTerminal {
  readonly code: number | null;
  readonly screen: Screen;
}

/** How a program is run on a terminal. */
interface TerminalRun {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
  /** Called after everything that is drawn. `resize` asks for another size, `type` presses keys. */
  readonly onDrawn: (
    screen: Pick<Screen, "rows" | "lines"> & {
      readonly resize: (columns: number, rows: number) => void;
      readonly type: (keys: string) => void;
    },
  ) => Promise<void>;
}

type Told = { readonly printed: string } | { readonly size: readonly [columns: number, rows: number] };

const OPEN_TERMINAL = fileURLToPath(new URL("./open-terminal.py", import.meta.url));

/** Runs a program on a terminal that can be looked at; resolves when it has ended and everything is drawn. It ends with the test at the latest. */
export async function runOnTerminal({ columns, rows, command, cwd, onDrawn }: TerminalRun): Promise<EndOnTerminal> {
  const screen = openScreen(columns, rows);
  const { STY: _screen, TMUX: _tmux, XTERM_VERSION: _xterm, NO_COLOR: _noColor, ...env } = process.env;
  const child = spawn("python3", [OPEN_TERMINAL, String(columns), String(rows), ...command], {
    cwd,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.stdin.end());
  const resize = (newColumns: number, newRows: number): void => {
    child.stdin.write(`${newColumns} ${newRows}\n`);
  };
  const type = (keys: string): void => {
    child.stdin.write(`type ${Buffer.from(keys).toString("base64")}\n`);
  };
  const exited = once(child, "exit") as Promise<[number | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as Told;
    if ("size" in told) await screen.resize(...told.size);
    else screen.write(Buffer.from(told.printed, "base64"));
    await onDrawn({ rows: screen.rows, lines: screen.lines, resize, type });
  }
  const [code] = await exited;
  return { code, screen };
}
