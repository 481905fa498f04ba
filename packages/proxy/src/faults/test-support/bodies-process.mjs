import { createServer } from "node:http";
import { serveCalls } from "./serve-calls.mjs";
import { readSlowly, writeBytes } from "./bodies.mjs";

/**
 * A backend of large bodies: `GET /N` is answered with N bytes as fast as they are taken, and the body of anything else
 * is read slowly and answered with the number of its bytes.
 */
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => serveCalls({}, server.address().port));

async function answer(request, response) {
  if (request.method === "GET") {
    const bytes = Number(request.url.slice(1));
    response.writeHead(200, { "content-length": bytes });
    await writeBytes(response, bytes);
    response.end();
    return;
  }
  response.end(String(await readSlowly(request)));
}
