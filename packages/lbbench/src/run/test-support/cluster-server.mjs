// A cluster of two workers, as a user's own program would be, that burns a little processor time for each answer.
import cluster from "node:cluster";
import { createServer } from "node:http";

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  createServer((_request, response) => {
    const end = process.cpuUsage().user + 1000;
    while (process.cpuUsage().user < end);
    response.end("hello");
  }).listen(Number(process.env.PORT), "127.0.0.1");
}
