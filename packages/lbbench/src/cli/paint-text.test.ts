import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { paintText } from "./paint-text.js";

const TERMINAL = { isTTY: true };

describe("paintText", () => {
  beforeEach(() => {
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("TERM", "xterm-256color");
  });
  afterEach(() => void vi.unstubAllEnvs());

  it("colours a text for a terminal", () => {
    expect(paintText(TERMINAL, "red", "fail")).toBe("\u001B[31mfail\u001B[39m");
  });

  it("does not for anything else", () => {
    expect(paintText({ isTTY: false }, "red", "fail")).toBe("fail");
  });

  it("does not where NO_COLOR asks for none; empty it asks for nothing", () => {
    vi.stubEnv("NO_COLOR", "1");
    expect(paintText(TERMINAL, "red", "fail")).toBe("fail");
    vi.stubEnv("NO_COLOR", "");
    expect(paintText(TERMINAL, "red", "fail")).not.toBe("fail");
  });

  it("does not on a terminal that can do nothing", () => {
    vi.stubEnv("TERM", "dumb");
    expect(paintText(TERMINAL, "red", "fail")).toBe("fail");
  });
});
