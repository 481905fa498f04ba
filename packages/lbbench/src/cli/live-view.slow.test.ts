import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { BIN } from "../../test/support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { ExitCode } from "./io.js";
import { runOnTerminal } from "./test-support/run-on-terminal.js";
import { writeConfig } from "../../test/support/write-config.js";

const CONNECTIONS = [1, 2, 3];
/** Of wide characters. */
const NAME = "东京 😀 server";
const OF_THE_VIEW = /░|█{6}|CPU |steps done|measuring|warming|checking/;

describe.runIf(needs("python3"))("the live view on a terminal", () => {
  it.each([
    [80, 24, 20, 12],
    [20, 10, 80, 24],
  ])(
    "leaves the lines of the steps and nothing of itself: %i x %i, then %i x %i",
    async (columns, rows, newColumns, newRows) => {
      const { url } = await startTestServer();
      const cwd = temporaryFolder();
      writeConfig(cwd, {
        targets: [{ name: NAME, server: "url", options: { url } }],
        connections: CONNECTIONS,
        duration: "1500ms",
        trials: 1,
        warmup: "100ms",
        formats: ["json"],
      });
      const seen = new Set<string>();
      let width = columns;
      const { code, screen } = await runOnTerminal({
        cwd,
        command: [process.execPath, BIN, "sweep"],
        columns,
        rows,
        onDrawn: async (now) => {
          const view = (await now.rows()).filter((row) => OF_THE_VIEW.test(row));
          for (const row of view) seen.add(row);
          const isSecondUnderWay = view.some((row) => row.includes("1 of 3"));
          if (isSecondUnderWay && width === columns) {
            width = newColumns;
            now.resize(newColumns, newRows);
          }
        },
      });
      expect(width).toBe(newColumns);
      const shown = await screen.lines();
      // A line that was broken between words goes on with two spaces.
      const [config, ...lines] = shown.join("\n").replaceAll("\n  ", " ").split("\n");
      expect(config).toMatch(/^Config: /);
      expect(code, shown.join("\n")).toBe(ExitCode.pass);
      const steps = CONNECTIONS.map((count) => `${NAME}, ${count} connection${count === 1 ? "" : "s"}: `);
      expect(lines.slice(0, steps.length).map((line, index) => line.slice(0, steps[index]?.length))).toEqual(steps);
      expect(lines.filter((line) => OF_THE_VIEW.test(line))).toEqual([]);
      expect(lines.filter((line) => line.startsWith("Report: "))).toHaveLength(1);
      const all = [...seen].join("\n");
      for (const count of CONNECTIONS) expect(all).toContain(`${count - 1} of 3`);
    },
  );
});
