import { expect, it } from "vitest";
import { parseSockets } from "./read-sockets.js";

const V4 = `sockets: used 23
TCP: inuse 12 orphan 3 tw 687 alloc 15 mem 166
UDP: inuse 4 mem 0
`;
const V6 = "TCP6: inuse 5\nUDP6: inuse 2\n";

it("adds up the sockets of both versions of IP, and counts those in TIME_WAIT once", () => {
  expect(parseSockets(V4, V6)).toEqual({ inUse: 17, timeWait: 687 });
});

it("does without IPv6", () => {
  expect(parseSockets(V4, "")).toEqual({ inUse: 12, timeWait: 687 });
});

it("is unknown where there is no such file, never zero", () => {
  expect(parseSockets("", V6)).toBeNull();
});
