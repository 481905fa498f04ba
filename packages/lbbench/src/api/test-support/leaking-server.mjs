/** A server that keeps as many bytes of each request as its argument says. */
import { createServer } from "node:http";

const bytes = Number(process.argv[2]);
const kept = [];
createServer((_request, response) => {
  if (bytes > 0) kept.push(Buffer.alloc(bytes, 1));
  response.end("hello");
}).listen(Number(process.env.PORT), "127.0.0.1");
