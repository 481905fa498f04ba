// A cluster whose two workers answer at one port, which is told over the channel when both listen. It ends with that channel.
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";

if (cluster.isWorker) {
  createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
} else {
  process.on("disconnect", () => process.exit());
  const workers = [cluster.fork(), cluster.fork()];
  const listening = await Promise.all(workers.map((worker) => once(worker, "listening")));
  process.send(listening[0][0].port);
}
