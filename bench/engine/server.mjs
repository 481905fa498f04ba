/** A server that costs as little as one can in Node: it counts the ends of heads and writes a fixed answer for each. */
import net from "node:net";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n";
const END_OF_HEAD = "\r\n\r\n";

const server = net.createServer({ noDelay: true }, (socket) => {
  socket.setEncoding("latin1");
  socket.on("data", (text) => {
    let answers = "";
    for (let at = text.indexOf(END_OF_HEAD); at !== -1; at = text.indexOf(END_OF_HEAD, at + 1)) answers += ANSWER;
    socket.write(answers);
  });
  socket.on("error", () => {});
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
