/** A contender in Node: `node node.mjs NAME BACKENDS OPTIONS`, the last two as JSON; only lbbench takes more than one backend. Sends its port when it listens. */
import { once } from "node:events";
import { Agent, createServer } from "node:http";
import { createRequire } from "node:module";
import { createServer as createTlsServer } from "node:tls";

const [name, ...texts] = process.argv.slice(2);
const [backends, options] = texts.map((text) => JSON.parse(text));
const target = backends[0];

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
    Promise.resolve(proxy.web(request, response, { target })).catch(() => fail(response));
  });
}

async function listen(onRequest) {
  const server = createServer(onRequest);
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", 1024);
  await once(server, "listening");
  return server.address().port;
}

const PROGRAMS = {
  // The very copy that our transport of that name uses.
  "http-proxy": () => withAgent(createRequire(import.meta.resolve("@lbbench/proxy"))("http-proxy").createProxyServer),
  "http-proxy-3": async () => withAgent((await import("http-proxy-3")).createProxyServer),
  httpxy: async () => withAgent((await import("httpxy")).createProxyServer),
  "fast-proxy": async () => {
    const fast = (await import("fast-proxy")).fastProxy({ base: target, undici: { pipelining: 1 } });
    return listen((request, response) => fast.proxy(request, response, request.url, {}));
  },
  // A TLS server of Node with nothing else around it: what the balancer's handshakes are made of.
  "node:tls": async () => {
    const server = createTlsServer(options.tls, (socket) => socket.on("error", () => {}).resume());
    server.listen(0, "127.0.0.1", 1024);
    await once(server, "listening");
    return server.address().port;
  },
  lbbench: async () => {
    const { createBalancer } = await import("@lbbench/proxy");
    const balancer = createBalancer({ ...options, backends: backends.map((url) => ({ url })) });
    return (await balancer.listen({ port: 0 })).port;
  },
};

// http-proxy calls util._extend, of which Node warns at each start.
process.noDeprecation = true;
process.on("disconnect", () => process.exit());
process.send(await PROGRAMS[name]());
