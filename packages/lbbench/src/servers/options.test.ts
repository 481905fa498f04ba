import { describe, expect, it } from "vitest";
import { builtInServers } from "./built-in-servers.js";

describe("options of the servers", () => {
  it.each([
    ["single", {}, { handler: "hello", port: 0 }],
    ["cluster", {}, { handler: "hello", port: 0, workers: 4 }],
    ["balanced", {}, { handler: "hello", port: 0, backends: 4, policy: "round-robin" }],
    ["command", { command: "node server.js" }, { url: "http://127.0.0.1:{port}", readyPath: "/", cwd: "." }],
    ["url", { url: "http://127.0.0.1:8080/" }, { url: "http://127.0.0.1:8080/" }],
  ])("of %s are filled in", (name, given, filled) => {
    expect(builtInServers.get(name)?.options.parse(given)).toMatchObject(filled);
  });

  it.each([
    ["single", { port: 70_000 }, "port"],
    ["single", { handler: "no-such-handler" }, "handler"],
    ["single", { workers: 2 }, "workers"],
    ["cluster", { workers: 0 }, "workers"],
    ["balanced", { backends: 1.5 }, "backends"],
    ["balanced", { policy: "constructor" }, "policy"],
    ["command", {}, "command"],
    ["command", { command: "   " }, "command"],
    ["command", { command: [] }, "command"],
    ["command", { command: "x", url: "127.0.0.1:{port}" }, "url"],
    ["command", { command: "x", url: "http://[{port}" }, "url"],
    ["command", { command: "x", port: 0 }, "port"],
    ["command", { command: "x", readyPath: "ready" }, "readyPath"],
    ["url", { url: "ftp://127.0.0.1/" }, "url"],
    ["url", {}, "url"],
  ])("of %s may not be %o", (name, given, place) => {
    const parsed = builtInServers.get(name)?.options.safeParse(given);
    expect(JSON.stringify(parsed?.error?.issues)).toContain(place);
  });
});
