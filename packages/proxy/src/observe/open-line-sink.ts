import { finished } from "node:stream/promises";
import type { Writable } from "node:stream";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { show } from "../options/resolve-values.js";
import { openDescriptorSink } from "./descriptor-sink.js";
import { MAX_WAITING_BYTES, type LineSink } from "./line-sink.js";

/** Opens a sink over a stream or a file descriptor. Throws a `BalancerOptionsError`. */
export async function openLineSink(destination: Writable | number): Promise<LineSink> {
  if (typeof destination === "number") {
    if (Number.isInteger(destination) && destination > 0) return openDescriptorSink(destination);
  } else if (typeof destination?.write === "function") {
    return openStreamSink(destination);
  }
  throw new BalancerOptionsError(
    `destination: expected a writable stream or a file descriptor above 0 (1 is the standard output), got ${show(destination)}.`,
  );
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
