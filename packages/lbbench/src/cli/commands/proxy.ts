import { once } from "node:events";
import { BALANCER_SETTINGS } from "../server-settings.js";
import { ExitCode, type Command } from "../io.js";

/** `lbbench proxy`. */
export const proxyCommand: Command = {
  name: "proxy",
  summary: "run the balancer alone",
  about: "Runs the balancer alone, until it is interrupted; then prints how many requests each backend was given.",
  settings: BALANCER_SETTINGS,
  examples: [
    "proxy --backend http://127.0.0.1:8080 --backend http://127.0.0.1:8081",
    "proxy --backend 'http://127.0.0.1:8080 weight=3' --backend http://127.0.0.1:8081 --policy least-connections --health-check",
  ],
  run: async (_, flags, io) => {
    const { readBalancerFlags, refusalOf, startAdmin, startBalancer } = await import("../balancer.js");
    const request = await readBalancerFlags(flags, io.cwd);
    const running = await startBalancer(request, io.cwd);
    // Before anything is said: who reads it may interrupt at once. Listeners do not keep Node alive, but a server does.
    const interrupted = once(io.catchInterrupt().signal, "abort");
    const { backends } = request.balancer;
    try {
      const admin =
        request.adminPort === undefined ? undefined : await startAdmin(request.adminPort, request.balancer, running);
      const count = `${backends.length} ${backends.length === 1 ? "backend" : "backends"}`;
      const inWorkers = request.workers > 1 ? ` with ${request.workers} workers` : "";
      io.stderr.write(`Balancing ${count} at ${running.url}${inWorkers}\n`);
      if (admin !== undefined) io.stderr.write(`Figures and control at ${admin.url}\n`);
      const asked = backends.map(async (backend) => {
        const url = String(typeof backend === "string" ? backend : backend.url);
        const code = await refusalOf(url);
        if (code !== undefined) io.stderr.write(`warning: Nothing listens at ${url} (${code}). Start that backend.\n`);
      });
      await interrupted;
      await Promise.all([...asked, admin?.close()]);
    } finally {
      const before = await running.snapshot();
      await running.close();
      const { backends: counted } = await running.snapshot().catch(() => before);
      for (const { name, requests, errors, retries } of counted) {
        const again = retries === 0 ? "" : `, ${retries} of them after another backend had failed`;
        io.stderr.write(`${name}: ${requests} requests${again}, ${errors} errors\n`);
      }
    }
    return ExitCode.pass;
  },
};
