/** The first and the last port of a range. */
export type PortRange = readonly [first: number, last: number];

/** Reads `32768	60999`, as in net.ipv4.ip_local_port_range; `null` when it is something else. */
export function parsePortRange(text: string): PortRange | null {
  const [, first, last] = /^\s*(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return first === undefined || last === undefined ? null : [Number(first), Number(last)];
}

/**
 * Counts the ports of a range that are not reserved.
 *
 * @param reserved as in net.ipv4.ip_local_reserved_ports: `8080,9000-9010`, mostly empty.
 */
export function countPorts([first, last]: PortRange, reserved: string): number {
  const taken = new Set<number>();
  for (const part of reserved.trim().split(",")) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined) continue;
    for (let port = Math.max(first, Number(from)); port <= Math.min(last, Number(to)); port++) taken.add(port);
  }
  return Math.max(0, last - first + 1 - taken.size);
}
