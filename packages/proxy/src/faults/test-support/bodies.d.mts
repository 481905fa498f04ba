import type { Readable, Writable } from "node:stream";

/** Writes this many bytes, all from one buffer, as fast as they are taken. */
export function writeBytes(stream: Writable, bytes: number): Promise<void>;

/**
 * Reads to the end and resolves with the number of bytes. Pauses for 20 ms after each 8 MB, and so is slower than
 * whoever writes.
 */
export function readSlowly(stream: Readable): Promise<number>;
