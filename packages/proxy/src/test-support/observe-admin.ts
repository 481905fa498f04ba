import { expect, onTestFinished, vi } from "vitest";
import type { BackendControl } from "../observe/admin-backends.js";
import { createAdminServer } from "../observe/admin-server.js";
import type { BalancerSnapshot } from "../options/options.js";
import { send } from "./client.js";
import { exampleSnapshot } from "./observe-example.js";

/** What keeps count of what an admin server asks of it; changes replace what it does. */
export function recordingControl(changes: Partial<BackendControl> = {}) {
  return {
    add: vi.fn<BackendControl["add"]>(changes.add ?? (() => undefined)),
    remove: vi.fn<BackendControl["remove"]>(changes.remove ?? (async () => undefined)),
    drain: vi.fn<BackendControl["drain"]>(changes.drain ?? (async () => undefined)),
    restore: vi.fn<BackendControl["restore"]>(changes.restore ?? (() => undefined)),
    setWeight: vi.fn<BackendControl["setWeight"]>(changes.setWeight ?? (() => undefined)),
  };
}

/** Expects that the admin server has asked nothing of it. */
export function expectUntouched(control: ReturnType<typeof recordingControl>): void {
  const called = Object.entries(control).filter(([, { mock }]) => mock.calls.length > 0);
  expect(called.map(([name]) => name)).toEqual([]);
}

/** Starts an admin server that ends with the test. */
export async function startAdmin(
  options: {
    readonly snapshot?: () => BalancerSnapshot | Promise<BalancerSnapshot>;
    readonly backends?: BackendControl;
    readonly host?: string;
  } = {},
) {
  const { snapshot = () => exampleSnapshot(), host, ...rest } = options;
  const server = createAdminServer({ snapshot, ...rest });
  onTestFinished(() => server.close());
  return { ...server, ...(await server.listen(host === undefined ? {} : { host })) };
}

/** The headers of a body of JSON. */
export const json = { "content-type": "application/json" };

/** Sends a value as JSON. */
export async function sendJson(url: string, method: string, value: unknown) {
  return send(url, { method, headers: json }, JSON.stringify(value));
}

/** The text of `{ error }`. */
export function errorOf({ body }: { readonly body: string }): unknown {
  return (JSON.parse(body) as { readonly error: unknown }).error;
}
