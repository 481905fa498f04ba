import { describe, expect, it } from "vitest";
import { BackendStartError } from "../backend-start-error.js";
import { grpcUrlOf, parseUpstream } from "./grpc-url.js";

describe("grpcUrlOf", () => {
  it.each([
    ["127.0.0.1", "grpc://127.0.0.1:5000"],
    ["0.0.0.0", "grpc://127.0.0.1:5000"],
    ["::1", "grpc://[::1]:5000"],
  ])("makes a URL of %s that a client on the same machine can call", (host, url) => {
    expect(grpcUrlOf({ host, port: 5000 })).toBe(url);
  });
});

describe("parseUpstream", () => {
  it.each([
    ["grpc://127.0.0.1:5000", "127.0.0.1:5000"],
    ["grpc://[::1]:5000", "[::1]:5000"],
    ["grpc://localhost:80", "localhost:80"],
  ])("takes %s", (url, target) => {
    expect(parseUpstream(url)).toBe(target);
  });

  it.each(["", "127.0.0.1:5000", "http://127.0.0.1:5000", "grpc://127.0.0.1", "grpc://:5000", "grpc://a:1/path"])(
    'refuses "%s", and says what is expected',
    (url) => {
      const parse = (): string => parseUpstream(url);
      expect(parse).toThrow(BackendStartError);
      expect(parse).toThrow(`upstream: expected a URL like grpc://127.0.0.1:50051, got "${url}".`);
    },
  );
});
