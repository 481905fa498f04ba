import { describe, expect, it } from "vitest";
import { jsonBody, textBody } from "./body-text.js";

describe("textBody", () => {
  it.each([0, 1, 63, 64, 65, 10_240])("has exactly %d bytes", (size) => {
    expect(Buffer.byteLength(textBody("hello\n", size))).toBe(size);
  });

  it("is the short text without a size", () => {
    expect(textBody("hello\n", undefined)).toBe("hello\n");
  });
});

describe("jsonBody", () => {
  it.each([2, 3, 33, 34, 35, 36, 10_240])("is a document of exactly %d bytes", (size) => {
    const body = jsonBody(size);
    expect(Buffer.byteLength(body)).toBe(size);
    expect(() => JSON.parse(body) as unknown).not.toThrow();
  });

  it("is a short document without a size", () => {
    expect(JSON.parse(jsonBody(undefined))).toEqual({ message: "hello" });
  });
});
