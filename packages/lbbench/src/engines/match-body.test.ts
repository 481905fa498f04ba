import { describe, expect, it } from "vitest";
import { matchBody } from "./match-body.js";

const EXPECTED = "hello wörld";

function matches(expected: string | null, pieces: readonly string[]): boolean {
  const body = matchBody();
  body.start(expected === null ? null : Buffer.from(expected));
  for (const piece of pieces) {
    // As a parser hands it out: a part of a larger chunk.
    const bytes = Buffer.from(piece);
    body.add(Buffer.concat([Buffer.from("head"), bytes, Buffer.from("tail")]), 4, bytes.length);
  }
  return body.matches();
}

describe("matchBody", () => {
  it("recognizes the expected body however it is cut into pieces", () => {
    for (let first = 0; first <= EXPECTED.length; first += 1) {
      for (let second = first; second <= EXPECTED.length; second += 1) {
        const pieces = [EXPECTED.slice(0, first), EXPECTED.slice(first, second), EXPECTED.slice(second)];
        expect(matches(EXPECTED, pieces)).toBe(true);
      }
    }
  });

  it.each([
    ["one that is shorter", ["hello w"]],
    ["one that is longer", [EXPECTED, "!"]],
    ["one that is longer in its first piece", [`${EXPECTED}!`]],
    ["one that differs in its first piece", ["Hello", " wörld"]],
    ["one that differs in its last piece", ["hello wör", "lt"]],
    ["none", []],
  ])("refuses %s", (_, pieces) => {
    expect(matches(EXPECTED, pieces)).toBe(false);
  });

  it("wants no body where an empty one is expected", () => {
    expect(matches("", [])).toBe(true);
    expect(matches("", ["x"])).toBe(false);
  });

  it("takes any body where none is asked for", () => {
    expect(matches(null, [])).toBe(true);
    expect(matches(null, ["anything"])).toBe(true);
  });

  it("forgets the last body, and what was expected of it, when the next starts", () => {
    const body = matchBody();
    const expected = Buffer.from("ab");
    body.start(expected);
    body.add(Buffer.from("xx"), 0, 2);
    expect(body.matches()).toBe(false);
    body.start(expected);
    body.add(expected, 0, 2);
    expect(body.matches()).toBe(true);
    body.start(Buffer.from("xyz"));
    body.add(expected, 0, 2);
    expect(body.matches()).toBe(false);
    body.start(null);
    body.add(expected, 0, 2);
    expect(body.matches()).toBe(true);
    body.start(expected);
    expect(body.matches()).toBe(false);
  });
});
