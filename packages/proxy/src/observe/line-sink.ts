import { refuse } from "../options/check.js";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";

/** Where lines go. */
interface LineSink {
  /** Takes a line with its line break and returns at once; whether it was taken. Never throws. */
  readonly write: (line: string) => boolean;
  /** Resolves when everything taken so far is written; rejects with the error that kept it from being written. */
  readonly flush: () => Promise<void>;
  /** The same, and ends the destination, unless it is the standard output or error. */
  readonly close: () => Promise<void>;
}

/** How much may wait for a destination that does not keep up, before lines are dropped: logs must not fill the memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Opens a sink over a stream or a file descriptor. Throws a `BalancerOptionsError`. */
export async function openLineSink(destination: Writable | number): Promise<LineSink> {
  if (typeof destination === "number") {
    if (Number.isInteger(destination) && destination > 0) return openDescriptorSink(destination);
  } else if (typeof destination?.write === "function") {
    return openStreamSink(destination);
  }
  refuse("destination", "a writable stream or a file descriptor above 0 (1 is the standard output)", destination);
}

function openStreamSink(stream: Writable): LineSink {
  // What goes wrong is told by flush and close; a log must not end the process.
  stream.on("error", () => undefined);
  const standard = stream === process.stdout || stream === process.stderr;
  const flush = async (): Promise<void> => {
    // A stream calls back in the order of writing.
    await new Promise<void>((resolve, reject) => {
      stream.write("", (error) => (error ? reject(stream.errored ?? error) : resolve()));
    });
  };
  return {
    write: (line) => {
      if (!stream.writable || stream.writableLength > MAX_WAITING_BYTES) return false;
      stream.write(line);
      return true;
    },
    flush,
    close: async () => {
      if (standard) return flush();
      stream.end();
      await finished(stream, { readable: false });
    },
  };
}

/** What a pipe takes whole, with nothing of other processes in between (`PIPE_BUF` of Linux). */
const WHOLE_BYTES = 4096;
/** Lines are written when this much has come together: one write for some ten requests. */
const WRITE_BYTES = WHOLE_BYTES / 2;
/** The longest that a line waits for others. */
const WRITE_INTERVAL_MS = 500;
/** What pipes, terminals and sockets answer when asked to put their content on a disk. */
const NO_DISK = new Set(["EINVAL", "ENOTSUP", "EROFS"]);

/** A sink over a file descriptor, by pino's destination: buffered, written in the background, and when the process exits. */
async function openDescriptorSink(descriptor: number): Promise<LineSink> {
  const { destination } = await import("pino");
  const stream = destination({
    dest: descriptor,
    sync: false,
    minLength: WRITE_BYTES,
    maxWrite: WHOLE_BYTES,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: WRITE_INTERVAL_MS,
  });
  let takenBytes = 0;
  let writtenBytes = 0;
  let dropped = false;
  let broken: Error | undefined;
  stream.on("write", (bytes: number) => (writtenBytes += bytes));
  stream.on("drop", () => (dropped = true));
  // What goes wrong is told by flush and close; a log must not end the process.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // After this one pino's destination takes no more.
    if (error.code === "EPIPE") broken = error;
  });

  function write(line: string): boolean {
    if (broken !== undefined) return false;
    dropped = false;
    stream.write(line);
    if (!dropped) takenBytes += Buffer.byteLength(line);
    return !dropped;
  }

  async function flush(): Promise<void> {
    // One flush of a sonic-boom ends with the write that was under way when it was asked for.
    const upTo = takenBytes;
    while (writtenBytes < upTo) {
      if (broken !== undefined) throw broken;
      const before = writtenBytes;
      const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => stream.flush(resolve));
      if (error && !NO_DISK.has(error.code ?? "")) throw error;
      if (writtenBytes === before) throw new Error("The log's destination took nothing and gave no reason.");
    }
  }

  async function close(): Promise<void> {
    await flush().catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
    const closed = once(stream, "close");
    stream.end();
    await closed;
  }

  return { write, flush, close };
}
