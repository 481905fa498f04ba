import type { Socket } from "node:net";

/** What a client sends before its request for an upgrade is answered. */
export interface EarlyBytes {
  /** Ends the keeping and returns what was kept; what comes from now on is for the caller to read. */
  readonly take: () => Buffer;
}

/**
 * Keeps what a client sends before it is answered, from `limit` bytes on in the kernel. It is read all the same, since
 * otherwise nobody would notice that the client has gone away; `onGone` is called when it has ended its side.
 */
export function keepEarlyBytes(client: Socket, first: Buffer, limit: number, onGone: () => void): EarlyBytes {
  const kept = [first];
  let size = first.length;
  const keep = (chunk: Buffer): void => {
    kept.push(chunk);
    size += chunk.length;
    if (size >= limit) client.pause();
  };
  client.on("data", keep);
  client.once("end", onGone);
  return {
    take: () => {
      client.off("data", keep);
      client.off("end", onGone);
      client.pause();
      return Buffer.concat(kept);
    },
  };
}
