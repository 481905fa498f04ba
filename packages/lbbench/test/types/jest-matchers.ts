/** What users of `lbbench/jest` and `lbbench/assert` may write, and what has to be an error. Checked by tsc, never run. */
import { expect } from "@jest/globals";
import { sweep, type Result } from "lbbench";
import { assertMeets, assertNoSlowerThan, assertPasses, matchers } from "lbbench/assert";
import "lbbench/jest";

export async function checkJest(result: Result): Promise<void> {
  expect(result).toMeet("p99<50ms");
  expect(await sweep()).toMeet("errors<=0", { target: "single" });
  expect(result).not.toBeNoSlowerThan("base", { margin: "5%" });
  expect(result).toPass();
  await expect(sweep()).resolves.toMeet("p99<50ms");
  expect.extend(matchers);

  // @ts-expect-error a threshold is a text
  expect(result).toMeet(50);
  // @ts-expect-error a text is no result
  expect("result.json").toMeet("p99<50ms");
  // @ts-expect-error there is no such option
  expect(result).toBeNoSlowerThan("base", { marign: "5%" });

  assertMeets(result, ["p99<50ms", "errors<1%"], { target: "single" });
  assertNoSlowerThan(result, "base", { margin: 0.05 });
  assertPasses(result);
  // @ts-expect-error a promise is no result
  assertPasses(sweep());
}
