import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

const DEAF_SERVER = `
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    require("node:fs").writeSync(1, String(server.address().port) + "\\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** A port of this machine that answers to no further connection: a server in another process accepts none. */
export async function findSilentPort(): Promise<number> {
  const child = spawn(process.execPath, ["-e", DEAF_SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  const fillers: Socket[] = [];
  onTestFinished(() => fillers.forEach((filler) => filler.destroy()));
  for (let index = 0; index < 8; index++) fillers.push(connect(port, "127.0.0.1").on("error", () => undefined));
  const [first] = fillers;
  if (first !== undefined) await once(first, "connect");
  return port;
}
