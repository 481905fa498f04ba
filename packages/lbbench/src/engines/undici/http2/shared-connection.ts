import type { LoadRun } from "../../load-run.js";
import type { Destination } from "../../request-plan.js";
import { openConnection, type ConnectionEvents, type Http2Connection } from "./open-connection.js";

/** Who waits for a connection. */
export interface Waiter {
  readonly onReady: (connection: Http2Connection) => void;
  /** It could not be established; `code` says why. */
  readonly onRefused: (code: string) => void;
}

/** One connection at a time that several requesters share: opened by the first request, and again whenever it was lost. */
export interface SharedConnection {
  /** Called by each of the requesters when it is created. */
  readonly join: () => void;
  /** Calls back when a stream can be opened: at once where there is a connection. */
  readonly acquire: (waiter: Waiter) => void;
  /** It waits no more; a connection that is being opened for nobody is given up. */
  readonly forget: (waiter: Waiter) => void;
  /** Whether there is an established connection, though the server may not have said anything on it. */
  readonly isConnected: () => boolean;
  /** A stream on it is over. */
  readonly done: (connection: Http2Connection) => void;
  /** The next request is to have another connection; this one is closed when its streams are over. */
  readonly retire: (connection: Http2Connection) => void;
  /** Called by each of the requesters when it has ended. With the last one all is closed; resolves when it is. */
  readonly release: () => Promise<void>;
}

/**
 * Creates a connection for requesters that join it. The first request leaves when it is established; others wait until the server
 * has said how many streams it takes at a time, which it would have to refuse otherwise. Those beyond that number wait
 * in Node until one has ended.
 */
export function shareConnection(run: LoadRun, to: Destination): SharedConnection {
  const { recorder } = run;
  const waiting = new Set<Waiter>();
  /** All that are not closed yet: one that the server is about to end may still have answers to give. */
  const open = new Set<Http2Connection>();
  let current: Http2Connection | undefined;
  /** Whether a stream was opened on it. */
  let isUsed = false;
  let everConnected = false;
  let members = 0;

  const take = (): Waiter | undefined => {
    const [waiter] = waiting;
    if (waiter !== undefined) waiting.delete(waiter);
    return waiter;
  };
  const closeUnused = (connection: Http2Connection): void => {
    if (connection.retired && connection.streams === 0) connection.socket.destroy();
  };
  const serve = (connection: Http2Connection): void => {
    while (connection === current && waiting.size > 0 && (connection.spoken || !isUsed)) {
      isUsed = true;
      connection.streams += 1;
      take()?.onReady(connection);
    }
  };
  const events: ConnectionEvents = {
    onEstablished: (connection) => {
      recorder.connected(!everConnected);
      everConnected = true;
      run.sawLife();
      serve(connection);
    },
    onRefused: (connection, code) => {
      if (connection !== current) return;
      current = undefined;
      const refused = [...waiting];
      waiting.clear();
      for (const waiter of refused) waiter.onRefused(code);
    },
    onSpoken: serve,
    onClosed: (connection) => {
      open.delete(connection);
      recorder.received(connection.socket.bytesRead);
      recorder.written(connection.socket.bytesWritten);
      if (connection === current) replace();
    },
  };
  const begin = (): Http2Connection => {
    isUsed = false;
    current = openConnection(to, events);
    open.add(current);
    return current;
  };
  /** Those who waited for the server to speak get another, of which one of them is the first. */
  const replace = (): void => {
    current = undefined;
    if (waiting.size > 0) begin();
  };
  return {
    join: () => {
      members += 1;
    },
    acquire: (waiter) => {
      const connection = current !== undefined && canBeUsed(current) ? current : begin();
      waiting.add(waiter);
      if (connection.session !== undefined) serve(connection);
    },
    forget: (waiter) => {
      if (!waiting.delete(waiter) || waiting.size > 0 || current?.session !== undefined) return;
      current?.socket.destroy();
      current = undefined;
    },
    isConnected: () => current?.session !== undefined,
    done: (connection) => {
      connection.streams -= 1;
      closeUnused(connection);
    },
    retire: (connection) => {
      connection.retired = true;
      closeUnused(connection);
      if (connection === current) replace();
    },
    release: async () => {
      members -= 1;
      if (members > 0) return;
      current = undefined;
      const all = [...open];
      for (const { socket } of all) socket.destroy();
      await Promise.all(all.map(({ closed }) => closed));
    },
  };
}

function canBeUsed({ session, ending, socket }: Http2Connection): boolean {
  if (ending !== undefined || socket.destroyed) return false;
  return session === undefined || !(session.closed || session.destroyed);
}
