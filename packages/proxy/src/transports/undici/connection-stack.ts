import { Client } from "undici";
import type { ResolvedBackend, ResolvedBackendTls } from "../../options/resolve-options.js";
import { BALANCER_DEFAULTS } from "../../options/defaults.js";
import { createConnector } from "./connector.js";

/** The connections to one backend. */
export interface ConnectionStack {
  /** A connection that nobody uses: the one used last, or a new one. */
  readonly take: () => Client;
  /** Gives a connection back that may be used again. */
  readonly give: (client: Client) => void;
  /** Ends a connection that may not. */
  readonly discard: (client: Client) => void;
  /** Ends all of them; resolves when they are closed. */
  readonly close: () => Promise<void>;
}

/**
 * A stack of clients with one connection each. undici's own Pool looks through all of its clients for one that is free;
 * here it is the top one, and the ones below grow idle and are closed.
 */
export function createConnectionStack(
  backend: ResolvedBackend,
  tls: ResolvedBackendTls,
  headBytes: number,
): ConnectionStack {
  const free: Client[] = [];
  const all = new Set<Client>();
  const connector = createConnector(backend, tls);
  let closed = false;

  function open(): Client {
    // TLS is the connector's business: undici would make a new connection whenever the client's Host is another one.
    const client = new Client(`http://${urlHost(backend)}`, {
      connect: connector,
      // With more, a client would be ready for the next request in the middle of what it is reading, and would take an
      // answer that nobody asked for, and that came with the last one, for the answer to that.
      pipelining: 1,
      // The balancer keeps its own time, the same for every transport.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: BALANCER_DEFAULTS.backendIdleMs,
      keepAliveMaxTimeout: BALANCER_DEFAULTS.backendIdleMs,
      ...(Number.isFinite(headBytes) && headBytes > 0 ? { maxHeaderSize: headBytes } : {}),
    });
    all.add(client);
    return client;
  }

  function discard(client: Client): void {
    all.delete(client);
    void client.destroy();
  }

  return {
    take: () => free.pop() ?? open(),
    give: (client) => {
      if (closed) discard(client);
      else free.push(client);
    },
    discard,
    close: async () => {
      closed = true;
      const clients = [...all];
      all.clear();
      free.length = 0;
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

function urlHost({ hostname, port, socketPath }: ResolvedBackend): string {
  if (socketPath !== undefined) return hostname;
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
