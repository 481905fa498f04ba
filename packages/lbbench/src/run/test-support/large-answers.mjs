// Answers whatever it is asked with bytes that were made once, and that cost their reader much more than their writer.
import net from "node:net";

const BODY = "x".repeat(100_000);
const ANSWER = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);

net
  .createServer({ noDelay: true }, (socket) => {
    // A client of a closed loop sends nothing before it has its answer: whatever is read is one request.
    socket.on("data", () => socket.write(ANSWER));
    socket.on("error", () => socket.destroy());
  })
  .listen(Number(process.env.PORT), "127.0.0.1");
