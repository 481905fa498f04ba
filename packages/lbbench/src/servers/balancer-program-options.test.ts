import { describe, expect, it } from "vitest";
import type { Server } from "../plugin.js";
import { haproxyServer } from "./haproxy/haproxy.js";
import { nginxStaticServer } from "./nginx/nginx-static.js";
import { nginxServer } from "./nginx/nginx.js";

const BOTH: readonly Server[] = [nginxServer as Server, haproxyServer as Server];
const issuesOf = (server: Server, options: object): string =>
  JSON.stringify(server.options.safeParse(options).error?.issues ?? "none");

describe.each(BOTH)("options of $name", (server) => {
  it("are filled in", () => {
    expect(server.options.parse({})).toMatchObject({
      backends: [{ server: "single", options: { handler: "hello" }, count: 4, weight: 1 }],
      policy: "round-robin",
      workers: 1,
      keepAlive: 1024,
      program: server.name,
      port: 0,
    });
    expect(server.options.parse({})).toHaveProperty("clientConnections", expect.any(Number));
  });

  it.each([
    ["policy", { policy: "round-robbin" }, "round-robin, weighted-round-robin"],
    ["policy", { policy: "constructor" }, "expected one of"],
    ["policy", { policy: "random:seed:1" }, "expected no seed"],
    ["policy", { policy: "./my-policy.mjs" }, "can do round-robin"],
    ["policy", { policy: "consistent-hash:header:a'b" }, "expected a header whose name"],
    ["policy", { policy: "consistent-hash:cookie:a'b" }, "expected a cookie whose name"],
    ["weight", { policy: "weighted-round-robin", backends: [{ server: "single", weight: 0.5 }] }, "1 to 256"],
    ["weight", { policy: "weighted-round-robin", backends: [{ server: "single", weight: 257 }] }, "1 to 256"],
    ["backends", { backends: ["single", { server: "single", weight: 2 }] }, "weighted-round-robin"],
    ["handler", { handler: "hello", backends: ["single"] }, "no handler"],
    ["workers", { workers: 0 }, ""],
    ["keepAlive", { keepAlive: -1 }, ""],
    ["maxConnections", { maxConnections: 0 }, ""],
    ["clientConnections", { clientConnections: 0 }, ""],
    ["template", { template: "" }, ""],
    ["retries", { retries: 1 }, ""],
  ])("say what is wrong with %s in %o", (place, options, says) => {
    expect(issuesOf(server, options)).toContain(place);
    expect(issuesOf(server, options)).toContain(says);
  });
});

describe("options of nginx-static", () => {
  const server = nginxStaticServer as Server;

  it("are filled in, with a size unless there is a root", () => {
    expect(server.options.parse({})).toMatchObject({ size: "1kB", clientConnections: 512, workers: 1, port: 0 });
    expect(server.options.parse({ root: "site" })).not.toHaveProperty("size");
  });

  it.each([
    ["size", { size: "10 apples" }],
    ["size", { size: "1kB,size=2kB" }],
    ["size", { size: "17MB" }],
    ["size", { size: "1kB", root: "site" }],
    ["root", { root: 'a"; b' }],
    ["root", { root: "$document_root" }],
    ["root", { root: "a\nb" }],
    ["keepAliveRequests", { keepAliveRequests: 0 }],
    ["backlog", { backlog: 0 }],
    ["backends", { backends: 2 }],
  ])("say what is wrong with %s in %o", (place, options) => {
    expect(issuesOf(server, options)).toContain(place);
  });
});
