import * as z from "zod";
import type { Protocol, Server, WatchedProcess } from "../plugin.js";
import { originOf } from "../stats/url-address.js";
import { connectOnce, findListeners } from "../system/listen.js";
import { messageOf, StartError } from "../system/program.js";

const options = z.strictObject({ url: z.url({ protocol: /^(https?|grpcs?|wss?)$/ }) });

/** A server that is running already and accepts connections. Its processes can be found if it listens at a port of the loopback. */
export const urlServer: Server<z.infer<typeof options>> = {
  name: "url",
  options,
  needsOptions: true,
  protocol: ({ url }) => protocolOfUrl(url),
  start: async ({ url }, { signal, name, connectTo }) => {
    const place = connectTo === undefined ? url : connectTo.startsWith("unix:") ? connectTo : `http://${connectTo}`;
    await connectOnce(new URL(place), signal).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      const expected = `Expected a server that answers at ${connectTo ?? originOf(url)}, but got: ${describe(error)}`;
      throw new StartError(`${expected}. Is it running, and is the port right?`, { cause: error });
    });
    const listeners = place.startsWith("unix:") ? [] : await findListeners(place);
    const processes = listeners.map((one): WatchedProcess => ({
      ...one,
      name: name === undefined ? one.name : `${name} ${one.name}`,
      role: "backend",
      found: true,
    }));
    return { url, processes, died: new Promise(() => {}), stop: async () => {} };
  },
};

/** What a server at such a URL speaks. */
export function protocolOfUrl(url: string): Protocol {
  if (/^wss?:/i.test(url)) return "websocket";
  return /^grpcs?:/i.test(url) ? "grpc" : "http";
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describe).join(", ");
  return messageOf(error);
}
