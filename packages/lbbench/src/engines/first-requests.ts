import { once } from "node:events";
import { createServer, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { performance } from "node:perf_hooks";
import { defined } from "../stats/defined.js";
import { SCHEMES } from "../stats/url-address.js";
import { prepareClients } from "./clients.js";
import type { GeneratorLoad } from "./generator.js";
import { LoadRun } from "./load-run.js";
import { Recorder } from "./recorder.js";

/** So many requests load and compile the code of an engine. */
const REQUESTS = 100;
const LONGEST_MS = 5000;
/** A message that any server understands. */
const PLAIN = { method: "GET", headers: [], body: null, expectStatus: "2xx", expectBody: null };
/** A whole message of gRPC, in which every field has its default. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** Engines, and versions of HTTP, whose code has sent its first requests. */
const begun = new Set<string>();

/**
 * Lets the clients of an engine send their first requests to a server of this process: the first request of a measurement is not to wait
 * until code is compiled, also where the target is measured without a warm-up. Returns how many were answered; none the next time.
 */
export async function sendFirstRequests(load: GeneratorLoad): Promise<number> {
  const { engine, folder, httpVersion, serverTiming, timeoutMs, atEnd } = load;
  const code = `${engine} ${httpVersion}`;
  if (begun.has(code)) return 0;
  begun.add(code);
  const protocol = engine === "grpc" || engine === "websocket" ? engine : "http";
  const isHttp2 = protocol === "grpc" || (protocol === "http" && httpVersion === "2");
  const server: Server = isHttp2 ? (await import("node:http2")).createServer() : createServer();
  if (protocol === "websocket") await echoMessages(server as HttpServer);
  server.on("request", (_request, response: ServerResponse) => {
    response.setHeader("Content-Type", "application/grpc");
    response.addTrailers({ "grpc-status": "0" });
    response.end(EMPTY_MESSAGE);
  });
  try {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const recorder = new Recorder({ mergeable: false });
    const run = new LoadRun(recorder, REQUESTS);
    const clients = await prepareClients(
      {
        ...defined({ httpVersion, serverTiming }),
        engine,
        folder,
        timeoutMs,
        atEnd,
        generators: 1,
        url: `${SCHEMES[protocol]}://127.0.0.1:${port}`,
        level: { connections: 1, requests: REQUESTS },
        request: { ...load.request, ...PLAIN },
        options: { ...load.options, channels: 1 },
        keepAlive: true,
        place: { index: 0, of: 1 },
      },
      run,
    );
    run.start(-performance.now() * 1000);
    const limit = setTimeout(() => run.cut(), LONGEST_MS);
    await run.ended;
    clearTimeout(limit);
    await clients.stop();
    return recorder.progress().done - recorder.progress().failed;
  } finally {
    server.close();
  }
}

/** Has a server take WebSockets, and send back what comes. */
async function echoMessages(server: HttpServer): Promise<void> {
  const { WebSocketServer } = await import("ws");
  new WebSocketServer({ server }).on("connection", (socket) => {
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
}
