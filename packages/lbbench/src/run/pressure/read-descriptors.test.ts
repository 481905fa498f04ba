import { expect, it } from "vitest";
import { countDescriptors, parseDescriptorLimit, readDescriptorLimit } from "./read-descriptors.js";

const limits = (line: string): string => `Limit                     Soft Limit           Hard Limit           Units
Max processes             95895                95895                processes
${line}
Max locked memory         8388608              8388608              bytes
`;

it.each([
  ["Max open files            1024                 524288               files", { soft: 1024, hard: 524_288 }],
  ["Max open files            1024                 unlimited            files", { soft: 1024, hard: null }],
  ["Max open files            unlimited            unlimited            files", { soft: null, hard: null }],
])("reads %j", (line, expected) => {
  expect(parseDescriptorLimit(limits(line))).toEqual(expected);
});

it("does not know a limit that is not told", () => {
  expect(parseDescriptorLimit("")).toBeUndefined();
});

it.runIf(process.platform === "linux")("sees those of this process", async () => {
  const counted = await countDescriptors(process.pid);
  const limit = await readDescriptorLimit(process.pid);
  expect(counted?.open).toBeGreaterThan(3);
  expect(limit?.soft ?? Infinity).toBeGreaterThan(counted?.open ?? Infinity);
});

it("does not know those of a process that is not there", async () => {
  expect(await countDescriptors(2 ** 30)).toBeNull();
  expect(await readDescriptorLimit(2 ** 30)).toBeUndefined();
});
