/**
 * A server that costs as little as one can in Node, run with `fork`: `server.mjs http|http2|grpc [REQUESTS]`. Tells its port to the parent.
 *
 * With REQUESTS, each of so many requests in a row is answered after a delay of its own, from 5 to 500 ms. A message of the parent is answered
 * with how long the last so many answers took, in ms: from the request being read to its answer being written.
 */
import http2 from "node:http2";
import net from "node:net";

const [protocol, requestsText] = process.argv.slice(2);
const requests = Number(requestsText ?? 0);
const serviceMs = [];
let count = 0;

/** Short ones more often, in an order without pattern: 617 and the number of requests have no common divisor. */
function delayMs(index) {
  const share = ((index * 617) % requests) / (requests - 1);
  return 5 + 495 * share ** 2;
}

function later(answer) {
  const readAtMs = performance.now();
  setTimeout(() => {
    serviceMs.push(performance.now() - readAtMs);
    answer();
  }, delayMs(count++));
}
const serve = requests === 0 ? (answer) => answer() : later;

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n";
const END_OF_HEAD = "\r\n\r\n";

function startHttp() {
  return net.createServer({ noDelay: true }, (socket) => {
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      let answers = 0;
      for (let at = text.indexOf(END_OF_HEAD); at !== -1; at = text.indexOf(END_OF_HEAD, at + 1)) answers += 1;
      // All in one packet, so that a client that sends several requests at once is no slower to serve.
      serve(() => socket.write(ANSWER.repeat(answers)));
    });
    socket.on("error", () => socket.destroy());
  });
}

function startHttp2(answer) {
  const server = http2.createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.resume();
    serve(() => stream.destroyed || answer(stream));
  });
  return server;
}

function answerHttp2(stream) {
  stream.respond({ ":status": 200 });
  stream.end("hello");
}

function answerGrpc(stream) {
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  // An empty message.
  stream.end(Buffer.alloc(5));
}

const server = protocol === "http" ? startHttp() : startHttp2(protocol === "grpc" ? answerGrpc : answerHttp2);
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => process.send(server.address().port));
process.on("message", () => process.send(serviceMs.slice(-requests)));
process.on("disconnect", () => process.exit());
