import { describe, expect, it } from "vitest";
import type { NetworkSettings } from "../../model/pressure.js";
import { countDestinations } from "./read-destinations.js";

const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const ESTABLISHED = "01";
const FIN_WAIT = "05";
const TIME_WAIT = "06";
const LISTENING = "0A";

const SETTINGS: NetworkSettings = {
  ephemeralPorts: 28_232,
  tcpTwReuse: 2,
  tcpTwReuseDelayMs: 1000,
  tcpTimestamps: true,
  somaxconn: 4096,
  tcpMaxSynBacklog: 2048,
};

/** A row as the kernel prints it; `left` is what is left of a minute in TIME_WAIT. */
function row(local: string, remote: string, state: string, leftMs = 0): string {
  const timer = state === TIME_WAIT ? `03:${hex(leftMs / 10, 8)}` : "00:00000000";
  return `   0: ${local} ${remote} ${state} 00000000:00000000 ${timer} 00000000     0        0 4711 1 0 100 0 0 10 0\n`;
}

function hex(value: number, digits: number): string {
  return Math.round(value).toString(16).toUpperCase().padStart(digits, "0");
}

const LOOPBACK = "0100007F";
const AWAY = "0A00000A";
const at = (address: string, port: number): string => `${address}:${hex(port, 4)}`;

describe("countDestinations", () => {
  it("counts the ports taken for each destination, the most first", () => {
    const rows = [
      row(at(LOOPBACK, 8080), at("00000000", 0), LISTENING),
      ...[40_000, 40_001].map((port) => row(at(LOOPBACK, port), at(LOOPBACK, 9090), ESTABLISHED)),
      ...[40_000, 40_001, 40_002].map((port) => row(at(LOOPBACK, port), at(LOOPBACK, 8080), ESTABLISHED)),
      // The server's sides of these.
      ...[40_000, 40_001, 40_002].map((port) => row(at(LOOPBACK, 8080), at(LOOPBACK, port), ESTABLISHED)),
    ];
    expect(countDestinations(HEAD + rows.join(""), SETTINGS).slice(0, 2)).toEqual([
      { address: "127.0.0.1", port: 8080, taken: 3 },
      { address: "127.0.0.1", port: 9090, taken: 2 },
    ]);
  });

  it.each([
    ["a port that rests on the loopback for less than a second", SETTINGS, LOOPBACK, 59_500, 1],
    ["a port that has rested on the loopback for a second", SETTINGS, LOOPBACK, 58_900, 0],
    ["a port that rests for longer elsewhere", SETTINGS, AWAY, 1000, 1],
    ["a port that has rested elsewhere, with reuse everywhere", { ...SETTINGS, tcpTwReuse: 1 }, AWAY, 58_900, 0],
    ["a port that rests on the loopback without reuse", { ...SETTINGS, tcpTwReuse: 0 }, LOOPBACK, 1000, 1],
  ])("counts %s", (_, settings, address, leftMs, expected) => {
    const table = row(at(LOOPBACK, 40_000), at(address, 80), TIME_WAIT, leftMs);
    expect(countDestinations(table, settings)).toHaveLength(expected);
  });

  it("counts connections that are being closed", () => {
    expect(countDestinations(row(at(AWAY, 40_000), at(AWAY, 80), FIN_WAIT), SETTINGS)).toEqual([
      { address: "10.0.0.10", port: 80, taken: 1 },
    ]);
  });

  it("keeps connections from different addresses apart, each of which has ports of its own", () => {
    const rows = [LOOPBACK, AWAY].map((from) => row(at(from, 40_000), at(AWAY, 80), ESTABLISHED));
    expect(countDestinations(rows.join(""), SETTINGS).map(({ taken }) => taken)).toEqual([1, 1]);
  });

  it.each([
    ["00000000000000000000000001000000", "::1"],
    ["B80D0120000000000000000001000000", "2001:db8::1"],
    ["0000000000000000FFFF00000100007F", "127.0.0.1"],
  ])("reads the address %s as %s", (address, expected) => {
    const table = row(at("00000000000000000000000001000000", 40_000), at(address, 443), ESTABLISHED);
    expect(countDestinations(table, SETTINGS)).toEqual([{ address: expected, port: 443, taken: 1 }]);
  });

  it("finds none in no table", () => {
    expect(countDestinations("", SETTINGS)).toEqual([]);
  });
});
