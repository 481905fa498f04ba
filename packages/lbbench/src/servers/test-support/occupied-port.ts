import net from "node:net";
import { standUp } from "../../testing/ground-truth/truth-server.js";

/** Listens at a port of the loopback, accepts connections and says nothing. */
export async function occupyPort() {
  const { url, close } = await standUp(
    net.createServer((socket) => socket.on("error", () => {})),
    "http",
  );
  return { port: Number(new URL(url).port), free: close };
}
