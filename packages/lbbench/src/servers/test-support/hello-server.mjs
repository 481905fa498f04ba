// A server as a user may have one: listens where PORT says, with a child process of its own that ignores SIGTERM.
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 60_000); process.stdout.write("ready")';
const child = spawn(process.execPath, ["-e", stubborn], { stdio: ["ignore", "pipe", "inherit"] });

// Listens when the child is as stubborn as it is to be.
child.stdout.once("data", () => {
  createServer((_request, response) => response.end(`hello from ${process.pid} and ${child.pid}`)).listen(
    Number(process.env.PORT),
    "127.0.0.1",
  );
});
