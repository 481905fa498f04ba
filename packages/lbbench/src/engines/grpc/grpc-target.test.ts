import { describe, expect, it } from "vitest";
import { parseGrpcTarget } from "./grpc-target.js";

describe("parseGrpcTarget", () => {
  it.each([
    ["grpc://127.0.0.1:50051", "dns:127.0.0.1:50051", false],
    ["grpc://[::1]:50051/", "dns:[::1]:50051", false],
    ["grpcs://api.example.test:443", "dns:api.example.test:443", true],
  ])("reads %s", (text, address, secure) => {
    expect(parseGrpcTarget(text)).toEqual({ address, secure });
  });

  it.each(["", "127.0.0.1:50051", "http://127.0.0.1:50051", "grpc://127.0.0.1", "grpc://:50051"])(
    'refuses "%s", and says what is expected',
    (text) => {
      expect(() => parseGrpcTarget(text)).toThrow(`such as grpc://127.0.0.1:50051 (grpcs:// for TLS), got "${text}"`);
    },
  );

  it.each(["grpc://a:1/pkg.Service/Method", "grpc://a:1?x=1", "grpc://me@a:1"])(
    "refuses %s, which says more",
    (text) => {
      expect(() => parseGrpcTarget(text)).toThrow(`expected a URL of host and port alone, grpc://a:1, got "${text}"`);
    },
  );
});
