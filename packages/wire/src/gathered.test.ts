import { expect, it } from "vitest";
import { Gathered } from "./gathered.js";

it("bytes that come one by one take at most twice their memory, and views on them last", () => {
  const gathered = new Gathered();
  const bytes = Buffer.from("0123456789".repeat(6500));
  gathered.append(bytes, 0, 3);
  const early = gathered.view();
  for (let at = 3; at < bytes.length; at++) gathered.append(bytes, at, at + 1);
  expect(gathered.view().equals(bytes)).toBe(true);
  expect(gathered.view().buffer.byteLength).toBeLessThanOrEqual(2 * bytes.length);
  expect(gathered.view(64_997).toString()).toBe("789");
  gathered.clear();
  gathered.append(Buffer.from("xyz"), 0, 3);
  expect([early.toString(), gathered.view().toString(), gathered.length]).toEqual(["012", "xyz", 3]);
});
