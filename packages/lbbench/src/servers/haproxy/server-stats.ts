import net from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";
import type { BackendShare } from "../../model/measurement.js";

/** Every proxy (-1), servers only (4), every one of them (-1). */
const COMMAND = "show stat -1 4 -1 json\n";
const LIMIT_MS = 5000;

/** A server is a list of fields, each with its name and value. */
const statistics = z.array(
  z.array(
    z.object({
      field: z.object({ name: z.string() }),
      value: z.object({ value: z.union([z.string(), z.number()]) }),
    }),
  ),
);

/** Asks HAProxy at its socket what each server got; by the name of the server. Rejects when it does not answer so. */
export async function readServerStats(socketPath: string): Promise<ReadonlyMap<string, Required<BackendShare>>> {
  const answer = await ask(socketPath);
  return parseServerStats(answer);
}

/** Reads the answer to `show stat ... json`; throws for anything else. */
export function parseServerStats(answer: string): ReadonlyMap<string, Required<BackendShare>> {
  const servers = statistics.parse(JSON.parse(answer));
  return new Map(
    servers.map((fields) => {
      const values = new Map(fields.map(({ field, value }) => [field.name, value.value]));
      const count = (name: string): number => Number(values.get(name) ?? 0);
      // Failures to connect, and answers that were none or broke off.
      return [String(values.get("svname")), { requests: count("stot"), errors: count("econ") + count("eresp") }];
    }),
  );
}

async function ask(path: string): Promise<string> {
  const socket = net.connect({ path, signal: AbortSignal.timeout(LIMIT_MS) });
  socket.write(COMMAND);
  return text(socket);
}
