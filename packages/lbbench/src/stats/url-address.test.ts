import { describe, expect, it } from "vitest";
import { addressOf, formatAddress, isLoopback, originOf } from "./url-address.js";

describe("the address of a URL", () => {
  it.each([
    ["http://a.test/path", "http://a.test", "a.test", 80],
    ["https://a.test/", "https://a.test", "a.test", 443],
    ["grpc://a.test", "grpc://a.test", "a.test", 80],
    ["grpcs://a.test", "grpcs://a.test", "a.test", 443],
    ["ws://a.test/chat", "ws://a.test", "a.test", 80],
    ["wss://a.test/", "wss://a.test", "a.test", 443],
    ["grpc://127.0.0.1:9000/?a=b", "grpc://127.0.0.1:9000", "127.0.0.1", 9000],
    ["http://[::1]:8080/", "http://[::1]:8080", "::1", 8080],
  ])("%s is at %s: host %s, port %d", (url, origin, host, port) => {
    expect(originOf(url)).toBe(origin);
    expect(addressOf(url)).toEqual({ host, port });
    expect(addressOf(`http://${formatAddress({ host, port })}`)).toEqual({ host, port });
  });

  it("is of the loopback by its addresses and its name, and by nothing that begins like them", () => {
    const hosts = ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "::1"];
    expect(hosts.filter((host) => !isLoopback(host))).toEqual([]);
    expect(["10.0.0.1", "127.0.0.1.example.org", "[2001:db8::1]"].filter(isLoopback)).toEqual([]);
  });
});
