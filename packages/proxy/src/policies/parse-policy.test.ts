import { describe, expect, it } from "vitest";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { parsePolicy } from "./parse-policy.js";

describe("parsePolicy", () => {
  it.each([
    ["round-robin", "round-robin"],
    ["random:seed:42", "random"],
    ["consistent-hash", "consistent-hash"],
    ["consistent-hash:path", "consistent-hash"],
    ["consistent-hash:header:X-User", "consistent-hash"],
    ["consistent-hash:cookie:session", "consistent-hash"],
  ])("makes a policy of %s", (text, name) => {
    expect(parsePolicy(text).name).toBe(name);
  });

  it.each([
    ["", /^policy: expected one of round-robin, .*, consistent-hash; got ""\.$/],
    ["constructor", /^policy: expected one of .*; got "constructor"\.$/],
    ["Round-Robin", /^policy: expected one of .*; got "Round-Robin"\.$/],
    ["round-robin:path", /^policy "round-robin:path": round-robin: expected no options, got "key"\.$/],
    ["random:42", /^policy "random:42": expected "path", .* or "seed:NUMBER" after the name and a colon; got "42"\.$/],
    ["random:seed:", /expected .*"seed:NUMBER".*; got "seed:"\.$/],
    ["random:seed:4294967296", /seed: expected a whole number from 0 to 4294967295, got 4294967296\.$/],
    ["consistent-hash:", /expected "path", "header:NAME".*; got ""\.$/],
    ["consistent-hash:header", /key: expected "path", "header:NAME" or "cookie:NAME".*; got "header"\.$/],
    ["consistent-hash:header:", /key: expected .*; got "header:"\.$/],
    ["consistent-hash:header:x user", /key: expected .*; got "header:x user"\.$/],
    ["consistent-hash:cookie:a=b", /key: expected .*; got "cookie:a=b"\.$/],
    ["consistent-hash:path:x", /key: expected .*; got "path:x"\.$/],
    ["consistent-hash:seed:1", /consistent-hash: expected no option but "key", got "seed"\.$/],
  ])("refuses %j and says what was expected", (text, message) => {
    expect(() => parsePolicy(text)).toThrow(BalancerOptionsError);
    expect(() => parsePolicy(text)).toThrow(message);
  });
});
