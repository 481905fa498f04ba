import type { httpProxy } from "./http-proxy.js";

type Passes = { webPasses: readonly { readonly name: string }[] };

/** Takes the named step out of what an http-proxy does with each request. */
export function withoutPass(proxy: Pick<InstanceType<typeof httpProxy>, "web">, name: string): void {
  const steps = proxy as unknown as Passes;
  steps.webPasses = steps.webPasses.filter((pass) => pass.name !== name);
}
