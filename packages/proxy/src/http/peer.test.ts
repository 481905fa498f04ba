import { describe, expect, it } from "vitest";
import { createPeer } from "./peer.js";

describe("forwardedHeaders", () => {
  it.each([
    ["IPv4", "10.0.0.9", "a", "10.0.0.9", "for=10.0.0.9;host=a;proto=https"],
    ["IPv6", "2001:db8::1", "[::1]:81", "2001:db8::1", 'for="[2001:db8::1]";host="[::1]:81";proto=https'],
    ["no known address", undefined, "a", undefined, "for=unknown;host=a;proto=https"],
    ["no host", "10.0.0.9", undefined, "10.0.0.9", "for=10.0.0.9;proto=https"],
  ])("tell of a peer with %s", (_, address, host, forwardedFor, forwarded) => {
    const headers = createPeer(address, true).forwardedHeaders(host);
    const valueOf = (name: string) => (headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined);
    expect([valueOf("X-Forwarded-For"), valueOf("Forwarded"), valueOf("X-Forwarded-Host")]).toEqual([
      forwardedFor,
      forwarded,
      host,
    ]);
    expect(valueOf("X-Forwarded-Port")).toBe(host === "[::1]:81" ? "81" : "443");
  });

  it("are made once for each host in a row", () => {
    const peer = createPeer("10.0.0.9", false);
    expect(peer.forwardedHeaders("a")).toBe(peer.forwardedHeaders("a"));
    expect(peer.forwardedHeaders("b")).not.toBe(peer.forwardedHeaders("a"));
  });
});
