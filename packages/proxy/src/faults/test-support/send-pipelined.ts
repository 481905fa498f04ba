import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

const GET = "GET /get HTTP/1.1\r\nHost: test\r\n\r\n";
const NEVER = "GET /never HTTP/1.1\r\nHost: test\r\n\r\n";
const POST = "POST /post HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello";
/** Requests that are sent in one piece; what makes this load cheap. Every fifth is a POST. */
const BATCH = [GET, GET, POST, GET, GET, GET, GET, POST, GET, GET];
const STATUS_LINE = "HTTP/1.1 ";

/**
 * Sends requests in batches of ten over connections that are kept, each batch when the one before is answered; resolves
 * with the number of answers by status when the connections are closed.
 */
export async function sendPipelined(
  port: number,
  requests: number,
  connections: number,
): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  let left = requests;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = open(port);
      await once(socket, "connect");
      while (left > 0) {
        const batch = BATCH.slice(0, left);
        left -= batch.length;
        await sendBatch(socket, batch, answers);
      }
      socket.end();
      await once(socket, "close");
    }),
  );
  return answers;
}

/** Sends a request that is never answered over a connection of its own and closes it, so many times, one by one. */
export async function sendAndLeave(port: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const socket = open(port);
    socket.write(NEVER, () => socket.destroy());
    await once(socket, "close");
  }
}

/** Resolves when each request of a batch is answered. */
async function sendBatch(socket: Socket, batch: readonly string[], answers: Record<string, number>): Promise<void> {
  let open = batch.length;
  // The end of a piece that may be the beginning of a status line.
  let rest = "";
  await new Promise<void>((resolve, reject) => {
    const onClose = (): void => reject(new Error(`The connection was closed with ${open} requests unanswered.`));
    const onData = (chunk: string): void => {
      const text = rest + chunk;
      let at = text.indexOf(STATUS_LINE);
      let read = 0;
      for (; at !== -1 && at + 12 <= text.length; at = text.indexOf(STATUS_LINE, read)) {
        const status = text.slice(at + 9, at + 12);
        answers[status] = (answers[status] ?? 0) + 1;
        open -= 1;
        read = at + 12;
      }
      rest = text.slice(Math.max(read, at === -1 ? text.length - STATUS_LINE.length + 1 : at));
      if (open > 0) return;
      socket.off("data", onData).off("close", onClose);
      resolve();
    };
    socket.on("data", onData).on("close", onClose);
    socket.write(batch.join(""));
  });
}

function open(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.setEncoding("latin1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}
