import { expect, it } from "vitest";
import { autocannonEngine } from "../src/engines/autocannon/engine.js";
import { grpcEngine } from "../src/engines/grpc/engine.js";
import { undiciEngine } from "../src/engines/undici/engine.js";
import { aRequest } from "../src/test-support/fixtures.js";
import { residentBytes, type MemoryCase } from "./support/resident-memory.js";

const MIX = ["/a", "/b", "/c"].map((path) => ({
  name: path,
  weight: 1,
  request: aRequest({ path }),
  bodies: path === "/c" ? ["one", "two"] : null,
}));

const FEW = 20_000;

/** How many requests are many, and the bytes by which they may make a generator larger than a few do. */
const CASES: readonly (MemoryCase & { readonly name: string; readonly many: number; readonly growth: number })[] = [
  {
    name: "fifty times as many requests",
    engine: autocannonEngine,
    server: "fast-server.mjs",
    scheme: "http",
    many: 1_000_000,
    growth: 25_000_000,
  },
  {
    name: "ten times as many requests of a mix",
    engine: undiciEngine,
    server: "fast-server.mjs",
    scheme: "http",
    options: { mix: MIX },
    many: 200_000,
    // What is left of a request would have to be less than 140 bytes to go unnoticed.
    growth: 25_000_000,
  },
  {
    name: "ten times as many streams of HTTP/2",
    engine: undiciEngine,
    server: "fast-http2-server.mjs",
    scheme: "http",
    options: { httpVersion: "2", options: { streams: 10 } },
    many: 200_000,
    // What is left of a stream would have to be less than 200 bytes to go unnoticed; the stream alone takes thousands.
    growth: 40_000_000,
  },
  {
    name: "five times as many calls of gRPC",
    engine: grpcEngine,
    server: "fast-grpc-server.mjs",
    scheme: "grpc",
    many: 100_000,
    // What is left of a call would have to be less than 500 bytes to go unnoticed; the call alone takes thousands.
    growth: 40_000_000,
  },
];

it.each(CASES)(
  "a generator needs no more memory for $name",
  { timeout: 300_000 },
  async ({ many, growth, ...load }) => {
    const bytes = { few: await residentBytes(load, FEW), many: await residentBytes(load, many) };
    expect(bytes.many - bytes.few, JSON.stringify(bytes)).toBeLessThan(growth);
  },
);
