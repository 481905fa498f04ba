import { describe, expect, it } from "vitest";
import { NETWORK as SETTINGS } from "../test-support/fixtures.js";
import {
  attributePorts,
  countDescriptors,
  countDestinations,
  countPorts,
  parseSockets,
  readDescriptorLimit,
  readPortRange,
} from "./ports.js";

describe("what the kernel prints", () => {
  const v4 = "sockets: used 23\nTCP: inuse 12 orphan 3 tw 687 alloc 15 mem 166\nUDP: inuse 4 mem 0\n";
  const v6 = "TCP6: inuse 5\nUDP6: inuse 2\n";

  it.each<[string, unknown, unknown]>([
    ["sockets of both versions of IP, those in TIME_WAIT once", parseSockets(v4, v6), { inUse: 17, timeWait: 687 }],
    ["sockets without IPv6", parseSockets(v4, ""), { inUse: 12, timeWait: 687 }],
    ["no sockets, which are unknown then, never 0", parseSockets("", v6), null],
  ])("is read: %s", (_, read, expected) => {
    expect(read).toEqual(expected);
  });

  it.each([
    ["", 100],
    ["40000\n", 99],
    ["40010-40019,40015-40024,80", 85],
    ["39990-40009,40090-50000", 80],
    ["40000-40099", 0],
  ])("reserves ports by %j, so that %d are left of 100", (reserved, expected) => {
    expect(countPorts([40_000, 40_099], reserved)).toBe(expected);
  });

  it.runIf(process.platform === "linux")("is there for this process, and not for one that is gone", () => {
    const open = countDescriptors(process.pid) ?? 0;
    expect(open).toBeGreaterThan(3);
    expect(readDescriptorLimit(process.pid)?.soft ?? Infinity).toBeGreaterThan(open);
    expect([countDescriptors(2 ** 30), readDescriptorLimit(2 ** 30)]).toEqual([null, undefined]);
    expect(readPortRange()).toEqual([expect.any(Number), expect.any(Number)]);
  });
});

describe("the ports that are taken for a destination", () => {
  const [ESTABLISHED, FIN_WAIT, TIME_WAIT, LISTENING] = ["01", "05", "06", "0A"];
  const LOOPBACK = "0100007F";
  const AWAY = "0A00000A";
  const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0");
  const at = (address: string, port: number): string => `${address}:${hex(port, 4)}`;
  /** A row as the kernel prints it; `left` is what is left of a minute in TIME_WAIT. */
  const row = (local: string, remote: string, state = "01", leftMs = 0): string => {
    const timer = state === TIME_WAIT ? `03:${hex(leftMs / 10, 8)}` : "00:00000000";
    return `   0: ${local} ${remote} ${state} 00000000:00000000 ${timer} 00000000     0        0 4711 1 0 100 0 0 10 0\n`;
  };

  it("are counted, the most first, and not the server's sides of the connections, nor what listens", () => {
    const rows = [
      row(at(LOOPBACK, 8080), at("00000000", 0), LISTENING),
      ...[40_000, 40_001].map((port) => row(at(LOOPBACK, port), at(LOOPBACK, 9090), ESTABLISHED)),
      ...[40_000, 40_001, 40_002].map((port) => row(at(LOOPBACK, port), at(LOOPBACK, 8080), ESTABLISHED)),
      ...[40_000, 40_001, 40_002].map((port) => row(at(LOOPBACK, 8080), at(LOOPBACK, port), ESTABLISHED)),
    ];
    expect(countDestinations(rows.join(""), SETTINGS).slice(0, 2)).toEqual([
      { address: "127.0.0.1", port: 8080, taken: 3 },
      { address: "127.0.0.1", port: 9090, taken: 2 },
    ]);
    expect(countDestinations("", SETTINGS)).toEqual([]);
  });

  it.each([
    ["on the loopback for less than a second", SETTINGS, LOOPBACK, 59_500, 1],
    ["on the loopback for a second", SETTINGS, LOOPBACK, 58_900, 0],
    ["elsewhere", SETTINGS, AWAY, 1000, 1],
    ["elsewhere, with reuse everywhere", { ...SETTINGS, tcpTwReuse: 1 }, AWAY, 58_900, 0],
    ["on the loopback without reuse", { ...SETTINGS, tcpTwReuse: 0 }, LOOPBACK, 1000, 1],
  ])("count one that has rested %s", (_, settings, address, leftMs, expected) => {
    expect(countDestinations(row(at(LOOPBACK, 1), at(address, 80), TIME_WAIT, leftMs), settings)).toHaveLength(
      expected,
    );
  });

  it("count what is being closed, and each address of ours by itself, which has ports of its own", () => {
    const rows = [LOOPBACK, AWAY].map((from) => row(at(from, 40_000), at(AWAY, 80), FIN_WAIT));
    const one = { address: "10.0.0.10", port: 80, taken: 1 };
    expect(countDestinations(rows.join(""), SETTINGS)).toEqual([one, one]);
  });

  it.each([
    ["00000000000000000000000001000000", "::1"],
    ["B80D0120000000000000000001000000", "2001:db8::1"],
    ["0000000000000000FFFF00000100007F", "127.0.0.1"],
  ])("are of the address %s as %s", (address, expected) => {
    expect(countDestinations(row(at(LOOPBACK, 1), at(address, 443)), SETTINGS)).toEqual([
      { address: expected, port: 443, taken: 1 },
    ]);
  });

  it("are the generator's where it is the target's port, and its balancer's elsewhere", () => {
    const seen = [
      { address: "127.0.0.1", port: 41_001, taken: 900 },
      { address: "127.0.0.1", port: 8080, taken: 800 },
      { address: "::1", port: 41_002, taken: 700 },
    ];
    expect(attributePorts(seen, 8080, true)).toEqual([
      { process: "generator", destination: "127.0.0.1:8080", taken: 800 },
      { process: "balancer", destination: "127.0.0.1:41001", taken: 900 },
    ]);
    expect(attributePorts(seen, 41_002, false)).toEqual([
      { process: "generator", destination: "[::1]:41002", taken: 700 },
    ]);
  });
});
