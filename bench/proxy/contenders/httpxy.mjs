/** httpxy with a keep-alive agent, and nothing else around it. */
import { createServer } from "node:http";
import { createProxyServer } from "httpxy";
import { fail, keepAliveAgent, listen, nextBackend } from "../node-process.mjs";

const proxy = createProxyServer({ agent: keepAliveAgent() });
proxy.on("error", (error, request, response) => fail(response));
await listen(
  createServer((request, response) => {
    proxy.web(request, response, { target: nextBackend() }).catch(() => fail(response));
  }),
);
