import { describe, expect, it } from "vitest";
import { readMetadata } from "./read-metadata.js";

describe("readMetadata", () => {
  it("keeps names in small letters, repetitions, and bytes of names that end in -bin", () => {
    const metadata = readMetadata([
      ["Authorization", "Bearer t"],
      ["x-tag", "1"],
      ["X-Tag", "2"],
      ["trace-bin", "AAEC"],
    ]);
    expect(metadata.get("authorization")).toEqual(["Bearer t"]);
    expect(metadata.get("x-tag")).toEqual(["1", "2"]);
    expect(metadata.get("trace-bin")).toEqual([Buffer.from([0, 1, 2])]);
  });

  it("leaves out the type of the content, which a call has of its own", () => {
    expect(readMetadata([["Content-Type", "application/json"]]).getMap()).toEqual({});
  });

  it.each(["Host", "Connection", "Transfer-Encoding", "Content-Length", "TE", "User-Agent", "grpc-timeout"])(
    "refuses %s",
    (name) => {
      expect(() => readMetadata([[name, "1"]])).toThrow(`headers: expected metadata of a call, got "${name}"`);
    },
  );

  it("refuses a value that metadata cannot have", () => {
    expect(() => readMetadata([["x-name", "Grüße"]])).toThrow(
      'headers: expected metadata of a call, got "x-name: Grüße"',
    );
  });
});
