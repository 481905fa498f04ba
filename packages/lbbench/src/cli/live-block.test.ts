import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seededRandom } from "../stats/seeded-random.js";
import { cutToWidth } from "../report/text-layout.js";
import { createLiveBlock, type LiveBlock } from "./live-block.js";
import { openScreen, type Screen } from "./test-support/screen.js";

const LONGER_THAN_A_REDRAW_MS = 150;

/** Lines of a block, cut as those of a live view are. */
function lines(texts: readonly string[]): (columns: number) => readonly string[] {
  return (columns) => texts.map((text) => cutToWidth(text, columns - 1));
}

const WIDE = [
  "bar ███████░░░░░ 42% of all the steps that there are, and the time left",
  "second: 负载均衡器 at 250, 12,340 ok/s and so on",
  "third 😀 line",
];

describe("a live block", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("stands below what is said, is drawn again where it changes, and leaves nothing when it stops", async () => {
    const { terminal, lines: shown, cursor } = openScreen(80, 24);
    let now: readonly string[] = WIDE;
    const write = vi.spyOn(terminal, "write");
    const block = createLiveBlock(terminal, (columns) => lines(now)(columns));
    block.start();
    block.say("one");
    block.say("two");
    expect(await shown()).toEqual(["one", "two", ...WIDE]);
    expect(await cursor()).toEqual([5, 0]);
    for (const next of [["short"], ["short", "x", "y", "z"]]) {
      now = next;
      vi.advanceTimersByTime(LONGER_THAN_A_REDRAW_MS);
      expect(await shown()).toEqual(["one", "two", ...next]);
    }
    const written = write.mock.calls.length;
    vi.advanceTimersByTime(10 * LONGER_THAN_A_REDRAW_MS);
    expect(write, "where nothing changes").toHaveBeenCalledTimes(written);
    block.stop();
    block.stop();
    expect(await shown()).toEqual(["one", "two"]);
    expect(await cursor()).toEqual([2, 0]);
  });

  it.each([
    [3, 2],
    [2, 1],
    [1, 0],
  ])("has only as many lines as %i rows have room for, and a row for the cursor: %i", async (rows, count) => {
    const { terminal, rows: visible, lines: shown } = openScreen(30, rows);
    const block = createLiveBlock(terminal, lines(["first", "second", "third"]));
    block.start();
    for (const line of ["one", "two", "three"]) block.say(line);
    const drawn = ["first", "second", "third"].slice(0, count);
    expect((await visible()).slice(-count - 1)).toEqual([...drawn, ""]);
    expect(await shown()).toEqual(["one", "two", "three", ...drawn]);
    block.stop();
    expect(await shown()).toEqual(["one", "two", "three"]);
  });

  it("does not erase what was said where the terminal cuts long lines", () => {
    const { terminal } = openScreen(80, 24);
    const written: string[] = [];
    const { on, off } = terminal;
    const cutting = { columns: 80, rows: 24, write: (text: string) => written.push(text) > 0, on, off };
    const block = createLiveBlock(cutting as unknown as Screen["terminal"], lines(WIDE), false);
    block.start();
    cutting.columns = 20;
    block.say("one");
    expect(written.at(-1)?.startsWith("\u001B[3A")).toBe(true);
    block.stop();
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "keeps every line that was said, in order and once, whatever happens: %i",
    async (seed) => await expectHistory(seed),
  );
});

/** Draws, speaks and resizes at random; the window is never too low for the block. */
async function expectHistory(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  const { terminal, resize, lines: shown } = openScreen(80, 30);
  let texts: readonly string[] = WIDE;
  const block: LiveBlock = createLiveBlock(terminal, (columns) => lines(texts)(columns));
  const said: string[] = [];
  let columns = 80;
  block.start();
  for (let times = 0; times < 30; times += 1) {
    const what = upTo(3);
    if (what === 0) {
      said.push(`${said.length} ${["plain ", "东京 ", "😀"][upTo(3)]?.repeat(1 + upTo(20)) ?? ""}`.trim());
      block.say(said.at(-1) ?? "");
    } else if (what === 1) {
      texts = WIDE.slice(0, 1 + upTo(3)).map((text) => text.slice(0, 5 + upTo(60)));
      vi.advanceTimersByTime(LONGER_THAN_A_REDRAW_MS);
    } else {
      columns = 7 + upTo(114);
      await resize(columns, 20 + upTo(15), () => {
        // It may be drawn in the moment before it hears of the new size.
        if (upTo(2) === 0) texts = WIDE.slice(0, 1 + upTo(3)).toReversed();
        vi.advanceTimersByTime(LONGER_THAN_A_REDRAW_MS);
      });
    }
    expect(await shown(), `seed ${seed}, after ${times} times`).toEqual([
      ...said,
      ...lines(texts)(columns).map((line) => line.trimEnd()),
    ]);
  }
}
