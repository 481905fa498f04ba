import { Socket, type OnReadOpts } from "node:net";

/** What a socket has inside when it is made with the option `onread`. */
interface SocketInside {
  [key: symbol]: unknown;
  readonly _handle?: { readonly useUserBuffer?: (buffer: Uint8Array) => void } | null;
}

/** Where Node keeps the option; they are the same for all sockets of a process. */
const inside = new Socket();
const symbolOf = (name: string): symbol | undefined =>
  Object.getOwnPropertySymbols(inside).find(({ description }) => description === name);
const BUFFER = symbolOf("kBuffer");
const CALLBACK = symbolOf("kBufferCb");

/**
 * Reads a socket that was accepted as one is read that was made with `onread`: into memory that is there, not into new
 * memory for each piece. Node offers this for connections that a program makes and not for those that it accepts.
 *
 * Returns false, and leaves the socket as it is, where that cannot be done: under TLS, or in a Node that keeps these
 * things elsewhere. What has been read already is left in the socket's own buffer.
 */
export function readInto(socket: Socket, onread: OnReadOpts): boolean {
  const { buffer } = onread;
  const parts = socket as unknown as SocketInside;
  const handle = parts._handle;
  if (BUFFER === undefined || CALLBACK === undefined || !(buffer instanceof Uint8Array)) return false;
  if (parts[BUFFER] !== null || typeof handle?.useUserBuffer !== "function") return false;
  parts[BUFFER] = buffer;
  parts[CALLBACK] = (size: number, into: Uint8Array) => onread.callback(size, into);
  handle.useUserBuffer(buffer);
  return true;
}
