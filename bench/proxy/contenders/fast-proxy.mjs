/** fast-proxy with its undici client; one for each backend, because its pool is bound to one address. */
import { createServer } from "node:http";
import { fastProxy } from "fast-proxy";
import { backends, listen, nextBackend } from "../node-process.mjs";

const proxies = new Map(backends.map((base) => [base, fastProxy({ base, undici: { pipelining: 1 } })]));
await listen(createServer((request, response) => proxies.get(nextBackend()).proxy(request, response, request.url, {})));
