import { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/** Enough for the code to be compiled. */
const REQUESTS = 100;

/**
 * Lets undici load its parser and answer some requests to itself, over no network: the first request of a measurement is
 * not to wait for that.
 */
export async function warmUp(): Promise<void> {
  const wire = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, done) => {
      wire.push(ANSWER);
      done();
    },
  });
  const client = new Client("http://localhost", {
    // Not at once: undici does not expect it, and would wait for ever.
    connect: (_options, callback) => queueMicrotask(() => callback(null, wire as Socket)),
  });
  for (let request = 0; request < REQUESTS; request += 1) await askOnce(client);
  await client.destroy();
}

function askOnce(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onConnect: () => {},
      onHeaders: () => true,
      onData: () => true,
      onComplete: () => resolve(),
      onError: reject,
    };
    client.dispatch({ path: "/", method: "GET" }, handler);
  });
}
