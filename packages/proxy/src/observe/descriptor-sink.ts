import { once } from "node:events";
import { MAX_WAITING_BYTES, type LineSink } from "./line-sink.js";

/** Lines are written when this much has come together: one write for some twenty requests. */
const WRITE_BYTES = 4096;
/** The longest that a line waits for others. */
const WRITE_INTERVAL_MS = 500;
/** What pipes, terminals and sockets answer when asked to put their content on a disk. */
const NO_DISK = new Set(["EINVAL", "ENOTSUP", "EROFS"]);

/** A sink over a file descriptor, by pino's destination: buffered, written in the background, and when the process exits. */
export async function openDescriptorSink(descriptor: number): Promise<LineSink> {
  const { destination } = await import("pino");
  const stream = destination({
    dest: descriptor,
    sync: false,
    minLength: WRITE_BYTES,
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
      await new Promise<void>((resolve, reject) => {
        stream.flush((error?: NodeJS.ErrnoException | null) => {
          if (error && !NO_DISK.has(error.code ?? "")) reject(error);
          else resolve();
        });
      });
      if (writtenBytes === before) throw new Error("The log's destination took nothing and gave no reason.");
    }
  }

  async function close(): Promise<void> {
    try {
      await flush();
    } catch (error) {
      stream.destroy();
      throw error;
    }
    const closed = once(stream, "close");
    stream.end();
    await closed;
  }

  return { write, flush, close };
}
