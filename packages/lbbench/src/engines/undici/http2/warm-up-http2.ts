import { connect, createServer } from "node:http2";
import { Duplex } from "node:stream";

/** Enough for the code to be compiled. */
const REQUESTS = 100;

/**
 * Lets Node speak HTTP/2 with itself, over no network: the first request of a measurement is not to wait for the code to be
 * loaded and compiled.
 */
export async function warmUpHttp2(): Promise<void> {
  const [near, far] = connectedPair();
  const server = createServer((_request, response) => void response.end("ok"));
  server.emit("connection", far);
  const session = connect("http://localhost", { createConnection: () => near });
  for (let request = 0; request < REQUESTS; request += 1) {
    await new Promise((resolve, reject) => {
      const stream = session.request({}, { endStream: true });
      stream.on("error", reject).on("end", resolve).resume();
    });
  }
  near.destroy();
  far.destroy();
}

/** What is written to one can be read from the other. */
function connectedPair(): readonly [Duplex, Duplex] {
  const half = (other: () => Duplex): Duplex =>
    new Duplex({
      read: () => {},
      write: (chunk, _encoding, done) => {
        other().push(chunk);
        done();
      },
    });
  const near: Duplex = half(() => far);
  const far: Duplex = half(() => near);
  return [near, far];
}
