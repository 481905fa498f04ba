import { describe, expect, it } from "vitest";
import { ConfigError } from "../index.js";
import { readServeFlags, type ServeFlags } from "./serve-flags.js";

describe("readServeFlags", () => {
  it("has defaults for everything but the service that a gateway calls", () => {
    const common = { port: 8080, host: "127.0.0.1", handler: "hello" };
    expect(readServeFlags("single", {})).toEqual({ kind: "single", options: common });
    expect(readServeFlags("cluster", {})).toEqual({ kind: "cluster", options: { ...common, workers: 4 } });
    expect(readServeFlags("pool", {})).toEqual({ kind: "pool", options: common });
    expect(readServeFlags("grpc", {})).toEqual({ kind: "grpc", options: common });
    expect(() => readServeFlags("grpc-gateway", {})).toThrow("--upstream: expected the gRPC service to call");
  });

  it("reads what a pool is to be", () => {
    const flags = { pool: "8", queue: "0", policy: "drop-head", refuseByClosing: true, admin: "0", handler: "cpu:1ms" };
    expect(readServeFlags("pool", { ...flags, port: "0" }).options).toEqual({
      port: 0,
      host: "127.0.0.1",
      handler: "cpu:1ms",
      pool: 8,
      queue: 0,
      policy: "drop-head",
      refusal: "close",
      adminPort: 0,
    });
  });

  it.each<[string, ServeFlags, string]>([
    [
      "clutser",
      {},
      'Expected single, cluster, pool, grpc or grpc-gateway to be served, got "clutser". Did you mean "cluster"?',
    ],
    ["constructor", {}, 'got "constructor"'],
    ["single", { workers: "2" }, "--workers is for cluster, not for single: lbbench serve cluster --workers 2"],
    ["grpc-gateway", { handler: "json" }, "--handler is for single, cluster, pool or grpc, not for grpc-gateway"],
    ["cluster", { workers: "0" }, '--workers: expected a whole number of at least 1, got "0"'],
    ["pool", { queue: "-1" }, '--queue: expected a whole number of at least 0, got "-1"'],
    ["pool", { policy: "drop-tial" }, 'Did you mean "drop-tail"?'],
    ["pool", { admin: "x" }, '--admin: expected a port from 0 to 65535, got "x"'],
    ["grpc", { maxCalls: "many" }, '--max-calls: expected a whole number of at least 1, got "many"'],
  ])("refuses %s %o", (kind, flags, message) => {
    expect(() => readServeFlags(kind, flags)).toThrow(ConfigError);
    expect(() => readServeFlags(kind, flags)).toThrow(message);
  });
});
