import type { Socket } from "node:net";
import { startTimer } from "../../start-timer.js";
import { resetSocket } from "../../tcp/sockets.js";

/** How a tunnel ended, and what went wrong if it did not end in order. */
export interface TunnelEnd {
  readonly outcome: "answered" | "failed" | "aborted";
  readonly error?: string;
}

/** What a tunnel needs to know from outside. */
interface TunnelOptions {
  /** How long one side may take to close when the other one has closed, in ms. Before that there is no limit. */
  readonly idleMs: number;
  /** Ends the client's connection at once, with a reset if there is a way. */
  readonly resetClient: (client: Socket) => void;
  /** Told of what the backend sends, in bytes. */
  readonly onBytes: (count: number) => void;
  /** Called once: when both connections are closed, or as soon as one has broken. */
  readonly onEnd: (end: TunnelEnd) => void;
}

/**
 * Joins the connections of a client and a backend: bytes, ends and resets of one become those of the other, and a side
 * that reads slowly makes the other one wait. Returns what breaks both.
 */
export function joinSockets(client: Socket, backend: Socket, options: TunnelOptions): (end: TunnelEnd) => void {
  let done = false;
  let stopTimer: (() => void) | undefined;

  function finish(end: TunnelEnd): void {
    stopTimer?.();
    if (done) return;
    done = true;
    options.onEnd(end);
  }

  function breakOff(end: TunnelEnd): void {
    const first = !done;
    finish(end);
    // A backend may end and then refuse what the client still sends: a reset could take its last words from the client.
    if (first && backend.readableEnded && backend.errored !== null) client.destroySoon();
    else options.resetClient(client);
    resetSocket(backend);
  }

  function onClose(socket: Socket, other: Socket, ifBroken: TunnelEnd): void {
    if (done) return;
    if (!socket.readableEnded || !socket.writableFinished) {
      breakOff(ifBroken);
    } else if (other.closed) {
      finish({ outcome: "answered" });
    } else {
      const { outcome } = ifBroken;
      const late = `The other side of the connection was not closed within ${options.idleMs} ms.`;
      stopTimer = startTimer(() => {
        breakOff({ outcome: outcome === "failed" ? "aborted" : "failed", error: late });
      }, options.idleMs);
    }
  }

  // Either side may go on sending after the other one has ended.
  client.allowHalfOpen = true;
  backend.allowHalfOpen = true;
  client.on("error", (error) =>
    breakOff({ outcome: "aborted", error: `The client's connection broke: ${error.message}` }),
  );
  backend.on("error", (error) =>
    breakOff({ outcome: "failed", error: `The backend's connection broke: ${error.message}` }),
  );
  client.on("close", () => {
    onClose(client, backend, { outcome: "aborted", error: "The client's connection was closed." });
  });
  backend.on("close", () => {
    onClose(backend, client, { outcome: "failed", error: "The backend's connection was closed." });
  });
  backend.on("data", (chunk: Buffer) => options.onBytes(chunk.length));
  client.pipe(backend);
  backend.pipe(client);
  return breakOff;
}
