/** A process that answers at once: called by the doctor over its channel. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { serveChild } from "../system/fork.js";

/** As many connections as are opened at once are not to wait for one another. */
const BACKLOG = 1024;
const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok");

/**
 * The cheapest server there can be in Node.js: it reads nothing of a request but that it came, and answers with bytes that are
 * ready. Good for one request in one piece at a time, as a load generator without a body sends it.
 */
const server = createServer({ noDelay: true }, (socket) => {
  socket.on("data", () => socket.write(ANSWER));
  socket.on("error", () => {});
});

const functions = {
  /** Starts to listen on a free port of the loopback; resolves with its URL. */
  listen: async () => {
    server.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG });
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
  /** Processor time so far, in ms. */
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** The functions of a responder process. */
export type Responder = typeof functions;

serveChild(functions);
