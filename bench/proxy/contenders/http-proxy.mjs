/** http-proxy 1.x with a keep-alive agent, and nothing else around it. */
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fail, keepAliveAgent, listen, nextBackend } from "../node-process.mjs";

// It calls util._extend, of which Node warns at each start.
process.noDeprecation = true;
// The very copy that our transport of that name uses.
const { createProxyServer } = createRequire(import.meta.resolve("@lbbench/proxy"))("http-proxy");

const proxy = createProxyServer({ agent: keepAliveAgent() });
proxy.on("error", (error, request, response) => fail(response));
await listen(createServer((request, response) => proxy.web(request, response, { target: nextBackend() })));
