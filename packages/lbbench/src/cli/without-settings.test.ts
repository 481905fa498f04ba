import { expect, test } from "vitest";
import { withoutSettings } from "./without-settings.js";

test("settings of other commands are left out, and the rest stays", () => {
  expect(withoutSettings({ name: "a", search: { by: "rate" }, ramp: {} }, ["search", "ramp"])).toEqual({ name: "a" });
});
