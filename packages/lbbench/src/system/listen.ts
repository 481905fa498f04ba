/** Whether a server listens, at which port, and which process it is. */
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import net from "node:net";
import { basename } from "node:path";
import type { WatchedProcess } from "../model/usage.js";
import { addressOf, isLoopback } from "../stats/url-address.js";
import { listNumbers, readProcFile, readProcStat, readText } from "./proc.js";
import { inTime, succeeds } from "./settle.js";

const CONNECT_LIMIT_MS = 5000;

/**
 * Resolves when a URL's address, or the socket of `unix:/path`, accepts a connection, which is closed at once. Rejects with why not;
 * after 5 s nothing happened.
 */
export async function connectOnce(url: URL, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const socket = net.connect(
    url.protocol === "unix:" ? { path: decodeURIComponent(url.pathname) } : { ...addressOf(url) },
  );
  const late = `no connection within ${CONNECT_LIMIT_MS / 1000} s`;
  try {
    await inTime(once(socket, "connect"), { limitMs: CONNECT_LIMIT_MS, late, signal });
  } finally {
    socket.destroy();
  }
}

/** Whether a URL's address accepts a connection. */
export async function isListening(url: URL, signal: AbortSignal): Promise<boolean> {
  return succeeds(connectOnce(url, signal));
}

let given: readonly number[] = [];

/** Finds a free port of the loopback for a program that cannot choose one by itself; none of the last thousand that it found. */
export async function findFreePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as net.AddressInfo;
  probe.close();
  await once(probe, "close");
  if (given.includes(port)) return findFreePort();
  given = [...given.slice(-999), port];
  return port;
}

/** A process that listens at a port of the loopback; with `tree`, what it has started may serve in its place. */
export type Listener = Pick<WatchedProcess, "pid" | "name" | "tree">;

/**
 * Finds the processes of this user, on Linux, that listen at the address of a URL on the loopback, under the names of their programs. Of
 * several that share a socket, as the workers of a cluster do, the one that started the others stands for all. Never rejects.
 */
export async function findListeners(url: string | URL): Promise<readonly Listener[]> {
  const { host, port } = addressOf(url);
  const addresses = await lookup(host, { all: true }).catch(() => []);
  const local = addresses.filter(({ address }) => isLoopback(address));
  if (local.length === 0) return [];
  const sockets = await readListening(port);
  for (const { address, family } of local) {
    // The kernel prefers a socket of this very address; one of IPv6 may take both families.
    const places = [address, family === 4 ? "0.0.0.0" : "::", "::"];
    const place = places.find((one) => sockets.some((socket) => socket.address === one));
    const links = new Set(sockets.filter((socket) => socket.address === place).map(({ inode }) => `socket:[${inode}]`));
    if (links.size === 0) continue;
    // The holders of last time are looked at first: searching all processes before each step takes long.
    const key = [...links].join(" ");
    const before = lastFound.get(key);
    const isSame = before !== undefined && before.length > 0 && before.every(({ pid }) => holds(pid, links));
    const holders = (): readonly number[] => listNumbers("/proc").filter((pid) => holds(pid, links));
    const now = isSame ? before : rootsOf(holders());
    lastFound.set(key, now);
    return now;
  }
  return [];
}

/** The processes that had the sockets of a target at the last search. */
const lastFound = new Map<string, readonly Listener[]>();

/** ` 0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 4711 ...`: local, state, ..., user, inode. */
const LISTENING_ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A \S+ \S+ \S+ +\d+ +\d+ +(\d+) /gm;

/** A row of a socket that does not listen. The kernel lists these, maybe a hundred thousand, after all listening ones. */
const OTHER_ROW = /^ *\d+: \S+ \S+ (?!0A)/m;

/** The sockets that listen at a port. */
async function readListening(port: number): Promise<readonly { readonly address: string; readonly inode: string }[]> {
  const read = async (path: string): Promise<string> => {
    const begin = readProcFile(path);
    return OTHER_ROW.test(begin) ? begin : readText(path);
  };
  const tables = `${await read("/proc/net/tcp")}${await read("/proc/net/tcp6")}`;
  return [...tables.matchAll(LISTENING_ROW)].flatMap(([, address = "", at = "", inode = ""]) =>
    Number.parseInt(at, 16) === port ? [{ address: readAddress(address), inode }] : [],
  );
}

/** Whether a process has one of these sockets open, as far as this user may see. */
function holds(pid: number, links: ReadonlySet<string>): boolean {
  return listNumbers(`/proc/${pid}/fd`).some((fd) => links.has(readLink(`/proc/${pid}/fd/${fd}`)));
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The holders that no other holder has started, with the processes that they have started. */
function rootsOf(holders: readonly number[]): readonly Listener[] {
  const above = (pid: number): readonly number[] => {
    const parent = readProcStat(pid)?.parent ?? 0;
    return parent === 0 ? [] : [parent, ...above(parent)];
  };
  // What has started us, as a service manager that hands sockets on, is not the server if there is another; nor are we part of it.
  const ours = new Set([process.pid, ...above(process.pid)]);
  const others = holders.filter((pid) => !ours.has(pid));
  const roots = others.filter((pid) => !above(pid).some((one) => others.includes(one)));
  const found = others.length === 0 ? holders : roots;
  return found.map((pid) => {
    const program = basename(readLink(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, "") || "process";
    return { pid, name: found.length === 1 ? program : `${program} ${pid}`, tree: !ours.has(pid) };
  });
}

/** The kernel prints addresses as words of 32 bits in the byte order of the machine. */
export function readAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).toReversed());
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16));
  if (numbers.length === 4) return numbers.join(".");
  const isMapped = numbers.slice(0, 10).every((byte) => byte === 0) && numbers[10] === 255 && numbers[11] === 255;
  if (isMapped) return numbers.slice(12).join(".");
  const groups = (bytes.join("").match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
