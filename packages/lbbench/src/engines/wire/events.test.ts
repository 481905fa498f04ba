import { expect, it } from "vitest";
import { EventScan } from "./events.js";

it.each<[what: string, stream: string, events: number]>([
  ["ends with an empty line", "data: a\n\ndata: b\n\n", 2],
  ["has several lines and other fields", "event: tick\nid: 7\ndata: a\ndata: b\n\n", 1],
  ["has lines that end with CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", 2],
  ["has lines that end with CR", "data: a\r\rdata: b\r\r", 2],
  ["has a field without a value, or without a blank", "data\n\ndata:\n\ndata:x\n\n", 3],
  ["is a comment that keeps the connection alive", ": ping\n\n:\n\n", 0],
  ["has no data", "event: tick\nid: 7\n\nretry: 10\n\n", 0],
  ["has fields that only begin like data", "database: a\n\ndat: b\n\nxdata: c\n\nda\nta: d\n\n", 0],
  ["is not whole", "data: a\n\ndata: b\n", 1],
  ["is followed by empty lines", "\n\ndata: a\n\n\n\n\n", 1],
  ["begins with a byte order mark", "\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: c\n\n", 2],
  ["has data in front of a comment", "data: a\n: ping\n\n", 1],
])("an event %s", (_, stream, events) => {
  const bytes = Buffer.from(`--${stream}`);
  const whole = new EventScan();
  expect(whole.scan(bytes, 2, bytes.length - 2)).toBe(events);
  const inPieces = new EventScan();
  inPieces.begin();
  expect(Array.from(bytes.subarray(2), (_byte, at) => inPieces.scan(bytes, 2 + at, 1)).filter(Boolean)).toHaveLength(
    events,
  );
});

it("begins anew with each stream", () => {
  const scan = new EventScan();
  scan.scan(Buffer.from("data: a\n"), 0, 8);
  scan.begin();
  expect(scan.scan(Buffer.from("\n"), 0, 1)).toBe(0);
});
