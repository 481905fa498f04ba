import { expect, it } from "vitest";
import { createTeardown } from "./teardown.js";

it("a teardown undoes the last first, and all though some reject, and says which did", async () => {
  const undone: string[] = [];
  const run = async (...names: readonly string[]): Promise<void> => {
    const teardown = createTeardown();
    for (const name of names) {
      teardown.add(async () => {
        undone.push(name);
        if (name.startsWith("no")) throw new Error(name);
      });
    }
    await teardown.undo();
  };
  await expect(run("one", "no two", "three")).rejects.toThrow("no two");
  expect(undone).toEqual(["three", "no two", "one"]);
  await expect(run("no one", "no two")).rejects.toMatchObject({
    errors: [{ message: "no two" }, { message: "no one" }],
  });
  await expect(run()).resolves.toBeUndefined();
});
