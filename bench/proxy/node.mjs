/** A contender in Node, or the part of the backend that echoes: `node node.mjs NAME [OPTIONS] [BACKEND...]`. Sends its ports when it listens. */
import { once } from "node:events";
import { Agent, createServer } from "node:http";
import { createRequire } from "node:module";

const [name, ...args] = process.argv.slice(2);
const backends = args.filter((each) => each.startsWith("http://"));
let turn = 0;
const nextBackend = () => backends[turn++ % backends.length];

function fail(response) {
  if (response.headersSent) response.destroy();
  else response.writeHead(502).end();
}

/** A proxy of the family of http-proxy, with an agent that keeps every connection, and nothing else around it. */
function withAgent(createProxyServer) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });
  const proxy = createProxyServer({ agent });
  proxy.on("error", (error, request, response) => fail(response));
  return listen((request, response) => {
    Promise.resolve(proxy.web(request, response, { target: nextBackend() })).catch(() => fail(response));
  });
}

async function listen(onRequest) {
  const server = createServer(onRequest);
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", 1024);
  await once(server, "listening");
  return server.address().port;
}

function echo(request, response) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": body.length }).end(body);
  });
}

const PROGRAMS = {
  backend: () => listen(echo),
  // The very copy that our transport of that name uses.
  "http-proxy": () => withAgent(createRequire(import.meta.resolve("@lbbench/proxy"))("http-proxy").createProxyServer),
  "http-proxy-3": async () => withAgent((await import("http-proxy-3")).createProxyServer),
  httpxy: async () => withAgent((await import("httpxy")).createProxyServer),
  // Its pool is bound to one address, so there is one for each backend.
  "fast-proxy": async () => {
    const { fastProxy } = await import("fast-proxy");
    const proxies = new Map(backends.map((base) => [base, fastProxy({ base, undici: { pipelining: 1 } })]));
    return listen((request, response) => proxies.get(nextBackend()).proxy(request, response, request.url, {}));
  },
  lbbench: async () => {
    const { createBalancer } = await import("@lbbench/proxy");
    const balancer = createBalancer({ ...JSON.parse(args[0]), backends: backends.map((url) => ({ url })) });
    return (await balancer.listen({ port: 0 })).port;
  },
};

// http-proxy calls util._extend, of which Node warns at each start.
process.noDeprecation = true;
process.on("disconnect", () => process.exit());
process.send({ ports: [await PROGRAMS[name]()] });
