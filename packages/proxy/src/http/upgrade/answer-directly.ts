import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { startTimer } from "../../start-timer.js";
import { ClientAnswer } from "../client-answer.js";

/** How long what a client still sends is read, so that it gets to read the answer. */
const LINGER_MS = 1000;

/**
 * An answer on a connection that Node has let go of because its request asked for an upgrade; the connection ends after
 * it. What the client still sends is read and thrown away.
 */
export function answerDirectly(request: IncomingMessage, socket: Socket): ClientAnswer {
  const answer = new ClientAnswer(request);
  answer.shouldKeepAlive = false;
  answer.assignSocket(socket);
  // What Node's server does for the connections that it has not let go of.
  const onDrain = (): void => {
    if (answer.writableNeedDrain) answer.emit("drain");
  };
  socket.on("drain", onDrain);
  socket.resume();
  answer.once("finish", () => {
    socket.off("drain", onDrain);
    answer.detachSocket(socket);
    process.nextTick(() => answer.emit("close"));
    endGently(socket);
  });
  return answer;
}

/** Ends a connection; closed at once, with bytes in it that nobody has read, it would be reset, the answer with it. */
function endGently(socket: Socket): void {
  if (socket.readableEnded) {
    socket.destroySoon();
    return;
  }
  const stopTimer = startTimer(() => socket.destroy(), LINGER_MS);
  socket.once("close", stopTimer);
  socket.once("end", () => socket.destroySoon());
  socket.end();
}
