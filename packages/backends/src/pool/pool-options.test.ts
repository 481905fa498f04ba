import { describe, expect, it } from "vitest";
import { BackendStartError } from "../backend-start-error.js";
import { resolvePoolOptions, type PoolOptions } from "./pool-options.js";

const resolve = (options: object): ReturnType<typeof resolvePoolOptions> =>
  resolvePoolOptions({ handler: "hello", ...options } as PoolOptions);

describe("resolvePoolOptions", () => {
  it("fills in what is not said", () => {
    expect(resolve({})).toEqual({
      admission: { pool: 4, queue: 10, policy: "drop-tail" },
      refusal: "status",
      retryAfterS: 1,
      adminPort: undefined,
    });
  });

  it.each([{}, { pool: 1 }, { queue: 0 }, { pool: 1, queue: 0 }])("knows what simple means, given %o", (given) => {
    expect(resolve({ policy: "simple", ...given }).admission).toEqual({ pool: 1, queue: 0, policy: "simple" });
  });

  it.each([
    [{ policy: "simple", pool: 4 }, 'pool: expected 1 with the policy "simple"'],
    [{ policy: "simple", queue: 10 }, 'queue: expected 0 with the policy "simple"'],
    [{ pool: 0 }, "pool: expected a whole number from 1 to 256, got 0"],
    [{ pool: 1.5 }, "pool: expected a whole number"],
    [{ pool: 257 }, "pool: expected a whole number"],
    [{ queue: -1 }, "queue: expected a whole number from 0"],
    [{ queue: Infinity }, "queue: expected a whole number"],
    [{ policy: "drop" }, 'policy: expected one of block, drop-tail, drop-head, simple, got "drop"'],
    [{ policy: "constructor" }, "policy: expected one of"],
    [{ refusal: "503" }, 'refusal: expected one of status, close, got "503"'],
    [{ retryAfterS: 0.5 }, "retryAfterS: expected a whole number"],
    [{ adminPort: 65_536 }, "adminPort: expected a whole number from 0 to 65535 (0 takes any free port), got 65536"],
  ])("refuses %o", (given, message) => {
    expect(() => resolve(given)).toThrow(BackendStartError);
    expect(() => resolve(given)).toThrow(message);
  });
});
