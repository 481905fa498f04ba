import { startBefore } from "../../test-support/servers.js";

/** Starts a balancer before one backend, which is called `one`; tells of both. */
export async function balance<Backend extends { readonly url: string }>(
  starting: Backend | Promise<Backend>,
  options?: Parameters<typeof startBefore>[1],
) {
  const backend = await starting;
  return { ...(await startBefore(backend, options)), backend };
}
