import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { createProbeAddress } from "./probe-address.js";

it("is another one each time", async () => {
  const addresses = await Promise.all([createProbeAddress(), createProbeAddress()]);
  expect(new Set(addresses.map(({ path }) => path)).size).toBe(2);
  await Promise.all(addresses.map(({ remove }) => remove()));
});

it.each<[NodeJS.Platform, RegExp]>([
  ["linux", /^\0lbbench-probe-[0-9a-f]{16}$/],
  ["win32", /^\\\\\.\\pipe\\lbbench-probe-[0-9a-f]{16}$/],
])("is no file on %s", async (platform, expected) => {
  expect((await createProbeAddress(platform)).path).toMatch(expected);
});

it("is elsewhere in a folder that only this user can enter, and that can be removed", async () => {
  const { path, remove } = await createProbeAddress("darwin");
  expect(statSync(dirname(path)).mode & 0o077).toBe(0);
  await remove();
  expect(existsSync(dirname(path))).toBe(false);
});
