import type { Socket } from "node:net";
import { BackendSearch } from "./backend-search.js";
import { connectionEntry } from "./connection-entry.js";
import type { RelayContext } from "./relay-context.js";
import { SocketPair } from "./socket-pair.js";

/** Relays a client's connection to a backend of the pool until it ends; resets it when no backend can be had. */
export function relayConnection(client: Socket, context: RelayContext): void {
  const { idleSweep, resetClient, onEnd } = context;
  const startedMs = performance.now();
  const startedAt = onEnd === undefined ? 0 : Date.now();
  const remoteAddress = onEnd === undefined ? undefined : client.remoteAddress;
  const pair = new SocketPair(client, { idleMs: idleSweep.idleMs, resetClient });

  const search = new BackendSearch(context, {
    request: { headers: {}, socket: client },
    onread: () => pair.onread,
    onFound(upstream, backend) {
      client.off("close", onGone);
      idleSweep.add(pair);
      pair.join(backend, ({ outcome, error }) => {
        idleSweep.delete(pair);
        if (outcome === "answered") upstream.endAnswered(0, performance.now() - startedMs);
        else if (outcome === "failed") upstream.endFailed();
        else upstream.endAborted();
        upstream.slots.release();
        tell(error);
      });
      backend.once("close", () => upstream.link.delete(backend));
    },
    onNotFound(error) {
      client.off("close", onGone);
      resetClient(client);
      tell(error);
    },
  });

  const onGone = (): void => {
    search.abandon();
    tell("The client's connection was closed before there was one to a backend.");
  };

  const tell = (error: string | undefined): void => {
    if (onEnd === undefined) return;
    const durationMs = performance.now() - startedMs;
    const { backendName, retries } = search;
    const bodyBytes = client.bytesWritten;
    onEnd(connectionEntry({ startedAt, durationMs, remoteAddress, backendName, retries, bodyBytes, error }));
  };

  // The connection is read from the start, into its own buffer, so that it is known when it breaks while it waits.
  client.on("error", ignore);
  client.on("close", onGone);
  search.start();
}

function ignore(): void {}
