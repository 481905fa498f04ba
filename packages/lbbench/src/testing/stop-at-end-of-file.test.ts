import { describe, expect, it } from "vitest";
import { stopAll } from "./stop-at-end-of-file.js";

describe("stopAll", () => {
  it("stops the last first, and all though some reject, and says which did", async () => {
    const stopped: string[] = [];
    const stop =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        stopped.push(name);
        if (fails) throw new Error(`no end of ${name}`);
      };
    await expect(stopAll([stop("one"), stop("two", true), stop("three")])).rejects.toThrow("no end of two");
    expect(stopped).toEqual(["three", "two", "one"]);
    const both = stopAll([stop("one", true), stop("two", true)]);
    await expect(both).rejects.toMatchObject({ errors: [{ message: "no end of two" }, { message: "no end of one" }] });
    await expect(stopAll([])).resolves.toBeUndefined();
  });
});
