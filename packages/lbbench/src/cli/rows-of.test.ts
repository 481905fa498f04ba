import { expect, it } from "vitest";
import { rowsOf } from "./rows-of.js";
import { openScreen } from "./test-support/screen.js";

it.each(["", "plain words in a line", "负载均衡器", "a负载均衡器b负载均衡器", "😀 a 😀😀 b", "e\u0301te\u0301"])(
  "counts as many rows as a terminal takes for a line, whatever its columns: %s",
  async (line) => {
    for (let columns = 2; columns < 25; columns += 1) {
      const { write, cursor } = openScreen(columns, 40);
      write(`${line}\n`);
      expect([rowsOf(line, columns), 0]).toEqual(await cursor());
    }
  },
);
