const file = (name) => new URL(`contenders/${name}.mjs`, import.meta.url);

/** What every ratio in the tables refers to: what many production services run, with the agent it should have. */
export const REFERENCE = "http-proxy";

/**
 * Everything that can be measured, in the order of the tables. `process` is a Node program, `native` an installed one;
 * `ours` is measured against the others; `relay` passes bytes without reading them, so that it is no HTTP proxy.
 */
export const CONTENDERS = [
  { name: "lbbench-undici", label: "lbbench, `undici`", process: file("lbbench"), ours: { transport: "undici" } },
  {
    name: "lbbench-http-proxy",
    label: "lbbench, `http-proxy`",
    process: file("lbbench"),
    ours: { transport: "http-proxy" },
  },
  { name: "lbbench-tcp", label: "lbbench, mode `tcp`", process: file("lbbench"), ours: { mode: "tcp" }, relay: true },
  { name: "http-proxy", label: "http-proxy, keep-alive agent", process: file("http-proxy"), package: "http-proxy" },
  { name: "httpxy", label: "httpxy, keep-alive agent", process: file("httpxy"), package: "httpxy" },
  {
    name: "http-proxy-3",
    label: "http-proxy-3, keep-alive agent",
    process: file("http-proxy-3"),
    package: "http-proxy-3",
  },
  { name: "fast-proxy", label: "fast-proxy, undici", process: file("fast-proxy"), package: "fast-proxy" },
  { name: "nginx", label: "nginx, 1 worker", native: "nginx" },
  { name: "haproxy-http", label: "haproxy, 1 thread, http", native: "haproxy" },
  { name: "haproxy-tcp", label: "haproxy, 1 thread, tcp", native: "haproxy", relay: true },
];

/** Names of the proxies for Node that are not ours and read HTTP. */
export const OTHER_NODE_PROXIES = CONTENDERS.filter((each) => each.process && !each.ours).map(({ name }) => name);
