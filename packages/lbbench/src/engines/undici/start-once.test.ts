import { describe, expect, it } from "vitest";
import { startOnce } from "./start-once.js";

describe("startOnce", () => {
  it("starts when it is first asked, and gives the same to all", async () => {
    let starts = 0;
    const start = startOnce(async () => (starts += 1));
    expect(starts).toBe(0);
    expect(await Promise.all([start(), start()])).toEqual([1, 1]);
    expect(await start()).toBe(1);
  });

  it("tells all that wait of a failure, and starts anew for the next", async () => {
    let starts = 0;
    const start = startOnce(async () => {
      starts += 1;
      if (starts === 1) throw new Error("There is no thread left");
      return starts;
    });
    const outcomes = await Promise.allSettled([start(), start()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await start()).toBe(2);
  });
});
