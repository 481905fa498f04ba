import { Client, type buildConnector } from "undici";
import type { Destination } from "../request-plan.js";

/** Longer than any run, and as long as a timer can be: idle connections are for the server to close. */
const NEVER_MS = 2 ** 31 - 1;
/** Undici closes a connection so long before the server says that it will; it is not to. */
const UNHEEDED_MS = -NEVER_MS;

/** Creates a client of undici that has one connection at a time, made by `connect`, and gives up nothing by itself. */
export function createUndiciClient({ host }: Destination, connect: buildConnector.connector): Client {
  return new Client(`http://${host.includes(":") ? `[${host}]` : host}`, {
    connect,
    // With 1, the next request would wait for a turn of the event loop. It is given when the answer is complete, and
    // undici takes it for a second one until it has put the first away.
    pipelining: 2,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: NEVER_MS,
    keepAliveMaxTimeout: NEVER_MS,
    keepAliveTimeoutThreshold: UNHEEDED_MS,
  });
}
